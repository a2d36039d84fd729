//! The page of a report in a real browser, where there is one: Chromium without a window, light and dark.
//!
//! The page has no script of its own. A copy of it is given one that measures what was drawn and writes what it finds
//! wrong into the document, which the browser prints.

use std::path::Path;
use std::process::Command;

/// Measures a page: `[name, what is wrong]` of each finding, as text in `<pre id="found">`.
const PROBE: &str = r#"<script>
const found = [];
const wrong = (what, where) => found.push(what + ': ' + where);
const box = e => e.getBoundingClientRect();
const figures = [...document.querySelectorAll('figure')];
if (!document.querySelector('h1')?.textContent.trim()) wrong('no heading', 'h1');
if (figures.length != FIGURES) wrong('figures', figures.length);
if (document.querySelectorAll('#claims tbody tr').length != CLAIMS) wrong('claims', document.querySelectorAll('#claims tbody tr').length);
for (const row of document.querySelectorAll('#claims tbody tr'))
  for (const cell of row.children) if (!cell.textContent.trim() || /no run of it/.test(cell.textContent)) wrong('empty claim', row.textContent);
if (document.documentElement.scrollWidth > innerWidth) wrong('wider than the window', document.documentElement.scrollWidth);
figures.forEach((figure, i) => {
  const svg = figure.querySelector('svg');
  if (!svg) return wrong('no drawing', i);
  const b = box(svg);
  if (b.width < 300 || b.height < 150) wrong('drawing too small', i + ' ' + b.width + ' x ' + b.height);
  const lines = [...svg.querySelectorAll('polyline, path')].filter(l => box(l).width > 0 || box(l).height > 0);
  if (!lines.length) wrong('nothing drawn', i);
  const texts = [...svg.querySelectorAll('text')];
  if (texts.length < 6) wrong('labels', i + ' has ' + texts.length);
  const seen = texts.map(t => t.textContent.trim());
  for (const axis of (AXES)[i] ?? []) if (!seen.includes(axis)) wrong('axis without its name and unit', i + ' ' + axis);
  for (const t of texts) {
    const r = box(t);
    if (t.textContent.trim() && (!r.width || !r.height)) wrong('text not drawn', t.textContent);
    if (r.left < b.left - 1 || r.right > b.right + 1 || r.top < b.top - 1 || r.bottom > b.bottom + 1) wrong('text cut off', t.textContent);
  }
});
const rgb = c => c.match(/[\d.]+/g).slice(0, 3).map(Number);
const light = c => { const [r, g, b] = rgb(c).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const style = getComputedStyle(document.body);
const [a, b] = [light(style.color), light(style.backgroundColor)];
const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
if (contrast < 7) wrong('contrast', contrast);
if ((b < 0.2) != matchMedia('(prefers-color-scheme: dark)').matches) wrong('background does not follow the reader', style.backgroundColor);
for (const e of document.querySelectorAll('[src], link[href], image')) wrong('refers to something outside', e.outerHTML);
if (performance.getEntriesByType('resource').length) wrong('fetched', performance.getEntriesByType('resource').map(r => r.name));
const pre = document.createElement('pre');
pre.id = 'found';
pre.textContent = (DARK == matchMedia('(prefers-color-scheme: dark)').matches ? 'measured ' : 'not in the wanted colours ') + found.join('; ');
document.body.append(pre);
</script>"#;

/// What a page is to have.
pub(crate) struct Wanted {
    pub claims: usize,
    /// Of each figure: the names of its axes, with units.
    pub axes: Vec<[String; 2]>,
}

fn browser() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(runs)
}

/// What a browser finds wrong with a page; `None` without a browser.
pub(crate) fn found(html: &str, wanted: &Wanted, dark: bool) -> Option<String> {
    let browser = browser()?;
    let dir = tempfile::tempdir().unwrap();
    let axes = serde_json::to_string(&wanted.axes).unwrap();
    let probe = PROBE
        .replace("FIGURES", &wanted.axes.len().to_string())
        .replace("CLAIMS", &wanted.claims.to_string())
        .replace("AXES", &axes)
        .replace("DARK", &dark.to_string());
    let page = dir.path().join("page.html");
    std::fs::write(&page, html.replace("</html>", &(probe + "</html>"))).unwrap();
    let home = dir.path().join("home");
    Some(printed(browser, &page, &home, dark))
}

fn printed(browser: &str, page: &Path, home: &Path, dark: bool) -> String {
    let out = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1000,900"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom"])
        .arg(format!("--user-data-dir={}", home.display()))
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let (dom, log) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    // What the page itself complains of, in the browser's console.
    let console: Vec<&str> = log.lines().filter(|l| l.contains("CONSOLE")).collect();
    let said = dom.split("<pre id=\"found\">").nth(1).and_then(|t| t.split("</pre>").next());
    let said = said.map_or_else(|| format!("the page was not measured: {log}"), |s| s.to_string());
    said + &console.join("\n")
}

/// Both ways of looking at a page; nothing is said of it where there is no browser, unless one must be there.
pub(crate) fn sound(html: &str, wanted: &Wanted) {
    for dark in [false, true] {
        match found(html, wanted, dark) {
            Some(said) => assert_eq!(said.trim(), "measured", "dark: {dark}"),
            None => {
                assert!(std::env::var_os("CI").is_none(), "no chromium on PATH; apt-get install chromium");
                eprintln!("no chromium on PATH: the page is not looked at");
            }
        }
    }
}

#[test]
fn what_is_missing_or_fetched_is_found() {
    let figure = "<figure><svg width=\"860\" height=\"380\"></svg></figure>";
    let wanted = Wanted { claims: 0, axes: vec![["x".into(), "y, ms".into()]] };
    let Some(said) = found(&super::html("t", figure), &wanted, false) else { return };
    for what in ["nothing drawn: 0", "labels: 0 has 0", "axis without its name and unit: 0 y, ms"] {
        assert!(said.contains(what), "{said}");
    }
    let none = Wanted { claims: 1, axes: vec![] };
    let said = found(&super::html("", "<img src=\"x.png\"><p style=\"width:2000px\">x</p>"), &none, true).unwrap();
    for what in ["no heading", "claims: 0", "wider than the window", "refers to something outside: "] {
        assert!(said.contains(what), "{said}");
    }
}
