//! What happens in the guest: a list of steps, each a line for its shell, and what each must do. The guest prints a mark
//! before and after each step; what is between them is what the step said.

use matchrdma_spec::pci::SIMULATED;

/// Marks lines of ours on the console.
const MARK: &str = "@vm-test";
/// Modules that the guest loads, with all that they need.
pub const MODULES: [&str; 2] = ["vfio-pci", "vfio_iommu_type1"];
/// The driver binary, in the guest.
pub const DRIVER: &str = "bin/matchrdma";
/// The list of checks of a device, in the guest.
pub const LIST: &str = "bin/driver-list";

/// One thing that is done in the guest, and what must come of it.
pub struct Step {
    /// What it shows.
    pub name: &'static str,
    /// A line for the shell; `$BDF` is the device's address.
    pub run: &'static str,
    /// Exit status.
    pub status: i32,
    /// What its output must hold, each somewhere.
    pub says: &'static [&'static str],
    /// Lines of its output with this in them are shown to the user; empty: none.
    pub shows: &'static str,
}

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Exit status; none: it did not end.
    pub status: Option<i32>,
    /// What it wrote.
    pub text: String,
}

/// The first process of the guest.
pub fn init(modules: &[String], steps: &[Step]) -> String {
    let mut script = String::from(
        "#!/bin/busybox sh\n\
         export PATH=/bin\n\
         /bin/busybox --install -s /bin\n\
         mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp\n\
         stty -F /dev/ttyS0 -echo -onlcr 2>/dev/null\n",
    );
    for module in modules {
        script += &format!("insmod /lib/{module}.ko || echo '{MARK} broken module {module}'\n");
    }
    let (vendor, device) = (SIMULATED.vendor, SIMULATED.device);
    script += &format!(
        "for d in /sys/bus/pci/devices/*; do\n\
         [ \"$(cat $d/vendor):$(cat $d/device)\" = {vendor:#06x}:{device:#06x} ] && export BDF=${{d##*/}}\n\
         done\n\
         export D=/sys/bus/pci/devices/$BDF\n\
         echo \"{MARK} up kernel $(uname -r), device at $BDF\"\n"
    );
    for (n, step) in steps.iter().enumerate() {
        let (name, run) = (step.name.replace('\'', r"'\''"), step.run);
        script += &format!("echo '{MARK} begin {name}'\n( {run} ) 2>&1\necho \"\n{MARK} end $? {n}\"\n");
    }
    script + &format!("echo '{MARK} done'\npoweroff -f\n")
}

/// What a line of the console says to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing to do.
    Nothing,
    /// Something that the user is told.
    News(String),
    /// The guest waits for traffic.
    Traffic,
}

/// Reads the console.
#[derive(Default)]
pub struct Reader {
    outcomes: Vec<Outcome>,
    open: Option<Outcome>,
    done: bool,
}

impl Reader {
    /// The next line.
    pub fn line(&mut self, line: &str) -> Said {
        let Some((_, ours)) = line.split_once(MARK) else {
            if let Some(open) = &mut self.open {
                open.text += line;
                open.text.push('\n');
            }
            return Said::Nothing;
        };
        let (what, rest) = ours.trim().split_once(' ').unwrap_or((ours.trim(), ""));
        match what {
            "begin" => self.open = Some(Outcome { name: rest.into(), ..Outcome::default() }),
            "end" => {
                let status = rest.split(' ').next().and_then(|status| status.parse().ok());
                self.outcomes.extend(self.open.take().map(|outcome| Outcome { status, ..outcome }));
            }
            "done" => self.done = true,
            "traffic" => return Said::Traffic,
            _ => return Said::News(format!("guest: {what} {rest}")),
        }
        Said::Nothing
    }

    /// Which step is under way, for a message.
    pub fn within(&self) -> String {
        self.open.as_ref().map_or(String::new(), |open| format!(" in the step `{}`", open.name))
    }

    /// The last step ended.
    pub fn finished(&self) -> bool {
        self.done
    }

    /// What each step did.
    pub fn outcomes(self) -> Vec<Outcome> {
        self.outcomes
    }
}

/// What a step did that the user is shown.
pub fn shown<'a>(step: &Step, outcome: &'a Outcome) -> impl Iterator<Item = &'a str> {
    let shows = step.shows;
    outcome.text.lines().filter(move |line| !shows.is_empty() && line.contains(shows))
}

/// What is wrong with what a step did; nothing when it did what it must.
pub fn wrong(step: &Step, outcome: Option<&Outcome>) -> Option<String> {
    let Some(outcome) = outcome.filter(|outcome| outcome.name == step.name) else {
        return Some("it did not run".into());
    };
    if outcome.status != Some(step.status) {
        let found = outcome.status.map_or("none".into(), |status| status.to_string());
        return Some(format!("exit status {found}, expected {}", step.status));
    }
    let missing = step.says.iter().find(|text| !outcome.text.contains(**text));
    missing.map(|text| format!("its output does not say `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [Step; 2] = [
        Step { name: "one's", run: "true", status: 0, says: &["fine"], shows: "fi" },
        Step { name: "two", run: "false", status: 1, says: &[], shows: "" },
    ];

    fn read(console: &str) -> Reader {
        let mut reader = Reader::default();
        console.lines().for_each(|line| drop(reader.line(line)));
        reader
    }

    #[test]
    fn a_console_is_read_into_steps() {
        let reader = read("noise\n@vm-test begin one's\nall fine\n\n@vm-test end 0 0\n@vm-test begin two\n@vm-test end 1 1\n@vm-test done\n");
        assert!(reader.finished());
        let outcomes = reader.outcomes();
        assert_eq!(outcomes[0].text, "all fine\n\n");
        assert_eq!(shown(&STEPS[0], &outcomes[0]).collect::<Vec<_>>(), ["all fine"]);
        assert_eq!(shown(&STEPS[1], &outcomes[0]).count(), 0);
        assert!(STEPS.iter().zip(&outcomes).all(|(step, outcome)| wrong(step, Some(outcome)).is_none()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let outcomes =
            read("@vm-test begin one's\nhm\n@vm-test end 0 0\n@vm-test begin two\n@vm-test end 0 1\n").outcomes();
        assert_eq!(wrong(&STEPS[0], outcomes.first()).unwrap(), "its output does not say `fine`");
        assert_eq!(wrong(&STEPS[1], outcomes.get(1)).unwrap(), "exit status 0, expected 1");
        assert_eq!(wrong(&STEPS[1], None).unwrap(), "it did not run");
        assert_eq!(wrong(&STEPS[1], outcomes.first()).unwrap(), "it did not run");
    }

    #[test]
    fn a_guest_that_ends_early_has_not_finished() {
        let reader = read("@vm-test begin one's\n");
        assert!(!reader.finished());
        assert_eq!(reader.within(), " in the step `one's`");
        let said = |line: &str| Reader::default().line(line);
        assert_eq!((said("@vm-test traffic"), said("traffic")), (Said::Traffic, Said::Nothing));
        assert_eq!(said("@vm-test up kernel 6"), Said::News("guest: up kernel 6".into()));
    }

    /// The shell of this machine reads the script, with marks and statuses as the reader expects them.
    #[test]
    fn the_script_is_one_that_a_shell_runs() {
        let script = init(&[], &STEPS);
        let steps = script.split_once("@vm-test up").unwrap().1.split_once('\n').unwrap().1;
        let steps = steps.replace("poweroff -f", "");
        let out = std::process::Command::new("sh").args(["-c", &steps]).output().unwrap();
        let reader = read(&String::from_utf8(out.stdout).unwrap());
        assert!(reader.finished());
        let statuses: Vec<_> = reader.outcomes().iter().map(|outcome| outcome.status).collect();
        assert_eq!(statuses, [Some(0), Some(1)]);
    }
}
