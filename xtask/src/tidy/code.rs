//! Rust source with comments and strings blanked, so that a rule looks at code and nothing else.

/// One file: the same lines twice, as written and as code only, and which of them are test code.
#[derive(Debug, Clone)]
pub struct Code {
    /// The lines as written.
    pub raw: Vec<String>,
    /// The same lines with comments, strings and character literals replaced by spaces.
    pub code: Vec<String>,
    test: Vec<bool>,
}

impl Code {
    /// Reads a file of shipped code with, perhaps, tests inside.
    pub fn new(text: &str) -> Self {
        Self::at("", text)
    }

    /// Reads a file; one called `tests.rs` or `..._tests.rs` is all test code.
    pub fn at(path: &str, text: &str) -> Self {
        let code: Vec<String> = blank(text).lines().map(String::from).collect();
        let all = path.ends_with("_tests.rs") || path.ends_with("/tests.rs");
        let test = if all { vec![true; code.len()] } else { test_lines(&code) };
        Self { raw: text.lines().map(String::from).collect(), code, test }
    }

    /// Code lines with their numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.iter().enumerate().map(|(i, l)| (i + 1, l.as_str()))
    }

    /// Code lines outside `#[cfg(test)]` items.
    pub fn shipped(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(n, _)| !self.test[n - 1])
    }
}

/// Where a word stands alone in a line of code.
pub fn word_at(line: &str, word: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).map(|(i, _)| i).find(|&i| {
        let before = line[..i].chars().next_back().is_some_and(part);
        let after = line[i + word.len()..].chars().next().is_some_and(part);
        !before && !after
    })
}

fn blank(text: &str) -> String {
    let c: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    let at = |i: usize| c.get(i).copied().unwrap_or('\0');
    while i < c.len() {
        let end = if at(i) == '/' && at(i + 1) == '/' {
            (i..c.len()).find(|&j| c[j] == '\n').unwrap_or(c.len())
        } else if at(i) == '/' && at(i + 1) == '*' {
            block_comment(&c, i)
        } else if at(i) == '"' {
            string(&c, i)
        } else if raw_string(&c, i).is_some() {
            raw_string(&c, i).unwrap_or(i + 1)
        } else if at(i) == '\'' {
            character(&c, i)
        } else {
            i
        };
        if end == i {
            out.push(c[i]);
            i += 1;
        }
        while i < end {
            out.push(if c[i] == '\n' { '\n' } else { ' ' });
            i += 1;
        }
    }
    out
}

fn block_comment(c: &[char], start: usize) -> usize {
    let (mut i, mut depth) = (start + 2, 1);
    while i < c.len() && depth > 0 {
        match (c[i], c.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
    }
    i.min(c.len())
}

fn string(c: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < c.len() && c[i] != '"' {
        i += if c[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(c.len())
}

/// The end of `r"..."` or `r#"..."#` that starts here.
fn raw_string(c: &[char], start: usize) -> Option<usize> {
    let in_word = start > 0 && (c[start - 1].is_alphanumeric() || c[start - 1] == '_') && c[start - 1] != 'b';
    if c[start] != 'r' || in_word {
        return None;
    }
    let hashes = c[start + 1..].iter().take_while(|&&x| x == '#').count();
    let open = start + 1 + hashes;
    if c.get(open) != Some(&'"') {
        return None;
    }
    let closes = |i: usize| c[i] == '"' && c[i + 1..].iter().take(hashes).filter(|&&x| x == '#').count() == hashes;
    let end = (open + 1..c.len()).find(|&i| closes(i)).map_or(c.len(), |i| i + 1 + hashes);
    Some(end.min(c.len()))
}

/// The end of a character literal; a lifetime is left alone.
fn character(c: &[char], start: usize) -> usize {
    match (c.get(start + 1), c.get(start + 2)) {
        (Some('\\'), _) => (start + 3..c.len()).find(|&i| c[i] == '\'').map_or(start, |i| i + 1),
        (Some(_), Some('\'')) => start + 3,
        _ => start,
    }
}

/// Marks the lines of every item under `#[cfg(test)]`, by matching braces.
fn test_lines(code: &[String]) -> Vec<bool> {
    let mut test = vec![false; code.len()];
    let mut i = 0;
    while i < code.len() {
        if !code[i].contains("#[cfg(test)]") {
            i += 1;
            continue;
        }
        let (mut depth, mut opened) = (0i32, false);
        while i < code.len() {
            test[i] = true;
            for ch in code[i].chars() {
                depth += (ch == '{') as i32 - (ch == '}') as i32;
                opened |= ch == '{';
            }
            let ended = opened && depth <= 0 || !opened && code[i].trim_end().ends_with(';');
            i += 1;
            if ended {
                break;
            }
        }
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_not_code() {
        let c = Code::new("let a = \"unsafe \\\" x\"; // unsafe\n/* unsafe\n/* nested */ */ let b = 'x';\nlet r = r#\"un\"safe\"#; fn f<'a>() {}\n");
        assert!(c.lines().all(|(_, l)| word_at(l, "unsafe").is_none()));
        assert!(c.code[2].contains("let b ="));
        assert!(c.code[3].contains("fn f<'a>() {}"));
        assert_eq!(c.raw.len(), c.code.len());
    }

    #[test]
    fn a_word_stands_alone() {
        assert!(word_at("forbid(unsafe_code)", "unsafe").is_none());
        assert_eq!(word_at("  unsafe {", "unsafe"), Some(2));
    }

    #[test]
    fn test_items_are_told_from_shipped_ones() {
        let c = Code::new(
            "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nuse x;\nfn d() {}\n",
        );
        let shipped: Vec<usize> = c.shipped().map(|(n, _)| n).collect();
        assert_eq!(shipped, [1, 6, 9]);
    }
}
