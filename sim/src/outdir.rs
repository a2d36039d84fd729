//! A result folder that appears whole or not at all: it is filled beside its place and renamed at the end.

use crate::pcap_out::PcapOut;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

/// Folders being filled, which an interrupt must not leave behind.
static FILLING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Conventional exit status after an interrupt: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// From now on an interrupt removes what is half written, and says so.
fn remove_when_interrupted(folder: &Path) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            let filling = FILLING.lock().unwrap_or_else(|e| e.into_inner());
            for folder in filling.iter() {
                let _ = fs::remove_dir_all(folder);
            }
            eprintln!("matchrdma-sim: interrupted; nothing was written");
            std::process::exit(INTERRUPTED);
        };
        // Without a handler an interrupt ends the program all the same, only less tidily.
        let _ = ctrlc::set_handler(handler);
    });
    FILLING.lock().unwrap_or_else(|e| e.into_inner()).push(folder.to_path_buf());
}

fn forget(folder: &Path) {
    FILLING.lock().unwrap_or_else(|e| e.into_inner()).retain(|f| f != folder);
}

/// A folder being filled. Dropped before [`OutDir::publish`], it leaves nothing behind.
#[derive(Debug)]
pub struct OutDir {
    wanted: PathBuf,
    temporary: PathBuf,
    /// Parents that were not there, innermost first.
    made: Vec<PathBuf>,
    published: bool,
}

impl OutDir {
    /// Begins to fill `wanted`, whose parents are made. An older result there stays until the new one is whole;
    /// a folder with anything in it that is not in `ours` is refused, so that no file of the user's is lost.
    pub fn begin(wanted: &Path, ours: &[&str]) -> Result<Self, String> {
        let shown = wanted.display();
        if wanted.exists() && !wanted.is_dir() {
            return Err(format!("writing to {shown}: expected a folder, found a file"));
        }
        if wanted.is_dir() {
            let entries = fs::read_dir(wanted).map_err(|e| format!("reading the folder {shown}: {e}"))?;
            for name in entries.flatten().map(|e| e.file_name()) {
                if !ours.iter().any(|o| name == *o) {
                    let name = name.to_string_lossy();
                    return Err(format!(
                        "writing to {shown}: it holds {name}, which is no result; give another folder"
                    ));
                }
            }
        }
        let name = wanted.file_name().ok_or_else(|| format!("writing to {shown}: that names no folder"))?;
        let parent = wanted.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = parent.join(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
        let made =
            parent.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists()).map(Into::into).collect();
        // From here on, dropping it takes away what was made.
        let out = OutDir { wanted: wanted.to_path_buf(), temporary, made, published: false };
        fs::create_dir_all(parent).map_err(|e| format!("making the folder {}: {e}", parent.display()))?;
        remove_when_interrupted(&out.temporary);
        fs::create_dir(&out.temporary).map_err(|e| format!("writing to {shown}: {e}"))?;
        Ok(out)
    }

    /// Where to write a file for now.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temporary.join(name)
    }

    /// A capture to be written.
    pub fn pcap(&self, name: &str) -> Result<PcapOut, String> {
        let shown = self.wanted.join(name);
        let file = fs::File::create(self.path(name)).map_err(|e| format!("writing {}: {e}", shown.display()))?;
        PcapOut::new(file, shown)
    }

    /// Writes a whole file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        fs::write(self.path(name), bytes).map_err(|e| format!("writing {}: {e}", self.wanted.join(name).display()))
    }

    /// Everything is written: the folder takes its place, and an older one goes.
    pub fn publish(mut self) -> Result<(), String> {
        let failed = |e| format!("writing to {}: {e}", self.wanted.display());
        let old = self.temporary.with_extension("old");
        let had_old = self.wanted.exists();
        if had_old {
            fs::rename(&self.wanted, &old).map_err(failed)?;
        }
        if let Err(e) = fs::rename(&self.temporary, &self.wanted) {
            if had_old {
                // Put it back: an older result is better than none. That too may fail; the first error is the one to tell.
                let _ = fs::rename(&old, &self.wanted);
            }
            return Err(failed(e));
        }
        self.published = true;
        forget(&self.temporary);
        if had_old {
            fs::remove_dir_all(&old).map_err(|e| format!("removing {}: {e}", old.display()))?;
        }
        Ok(())
    }
}

impl Drop for OutDir {
    fn drop(&mut self) {
        if !self.published {
            // Nothing to tell: the command that failed has said why.
            let _ = fs::remove_dir_all(&self.temporary);
            forget(&self.temporary);
            // Only folders that are empty go.
            self.made.iter().for_each(|parent| drop(fs::remove_dir(parent)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_failure_leaves_nothing_and_success_replaces_an_older_result() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("a/b");
        let first = OutDir::begin(&out, &["x"]).unwrap();
        first.write("x", b"1").unwrap();
        assert_eq!(names(&dir.path().join("a")).len(), 1);
        drop(first);
        assert!(names(dir.path()).is_empty());
        for text in ["2", "3"] {
            let again = OutDir::begin(&out, &["x"]).unwrap();
            again.write("x", text.as_bytes()).unwrap();
            again.publish().unwrap();
            assert_eq!(fs::read_to_string(out.join("x")).unwrap(), text);
            assert_eq!(names(&dir.path().join("a")), ["b"]);
        }
    }

    #[test]
    fn a_folder_with_something_else_in_it_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.tex"), "").unwrap();
        let why = OutDir::begin(dir.path(), &["x"]).unwrap_err();
        assert!(why.contains("thesis.tex"), "{why}");
        let why = OutDir::begin(&dir.path().join("thesis.tex"), &["x"]).unwrap_err();
        assert!(why.contains("found a file"), "{why}");
        assert_eq!(names(dir.path()), ["thesis.tex"]);
    }
}
