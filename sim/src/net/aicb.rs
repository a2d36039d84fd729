//! Traces of the AICB benchmark: what the collectives library is asked to do, rank by rank of each pipeline stage.
//!
//! A trace has no times, only an order. Columns by name: `comm_type`, `comm_group`, `comm_group_size` (older traces have
//! none), `msg_size`, `stage`, `dst`, `src`. A line in brackets begins a stage and is followed by the header again.

use std::path::Path;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comm {
    /// Sends to the rank `dst`.
    Send,
    /// Receives.
    Receive,
    /// All of the group.
    AllReduce,
    /// All of the group.
    AllGather,
    /// All of the group.
    ReduceScatter,
    /// One to all of the group.
    Broadcast,
    /// Nothing is sent: computing, a barrier, the end of an epoch.
    Other,
}

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Data parallel.
    Data,
    /// Tensor parallel.
    Tensor,
    /// Pipeline parallel.
    Pipeline,
    /// Any other.
    Other,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Line of the file, from 1.
    pub line: usize,
    /// Pipeline stage, from 0.
    pub stage: usize,
    /// What.
    pub comm: Comm,
    /// With whom.
    pub group: Group,
    /// How many.
    pub group_size: u64,
    /// Bytes.
    pub bytes: u64,
    /// It ends an epoch.
    pub epoch_end: bool,
    /// `forward_step`, `backward_step`, `init.model_setup` and the like.
    pub phase: String,
}

/// A whole trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In order.
    pub items: Vec<Item>,
    /// Pipeline stages.
    pub stages: usize,
}

impl Trace {
    /// Reads a file. Errors name file, line and column.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&text).map_err(|e| format!("{}:{e}", path.display()))
    }

    /// Reads a text. Errors begin with `line:column: `.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut trace = Trace::default();
        let mut columns: Option<Columns> = None;
        for (i, line) in text.lines().enumerate() {
            let number = i + 1;
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if line.starts_with('[') {
                trace.stages += 1;
                columns = None;
            } else if line.starts_with("comm_type") {
                columns = Some(Columns::read(line).map_err(|e| format!("{number}:1: {e}"))?);
                trace.stages = trace.stages.max(1);
            } else {
                let columns =
                    columns.as_ref().ok_or_else(|| format!("{number}:1: expected a header with comm_type first"))?;
                let item = columns.item(line, number, trace.stages - 1)?;
                trace.items.push(item);
            }
        }
        if trace.items.is_empty() {
            return Err("1:1: expected a trace, found no line of one".into());
        }
        Ok(trace)
    }

    /// Bytes that a stage sends in one micro-batch to its neighbour: the size of its sends, which are all alike.
    pub fn send_bytes(&self) -> Option<u64> {
        self.of(Comm::Send, Group::Pipeline).map(|i| i.bytes).max()
    }

    /// Sends of a stage in an iteration.
    pub fn sends(&self, stage: usize) -> usize {
        self.of(Comm::Send, Group::Pipeline).filter(|i| i.stage == stage).count()
    }

    /// Iterations: what stands before the first end of an epoch only sets up.
    pub fn iterations(&self) -> usize {
        let ends = self.items.iter().filter(|i| i.stage == 0 && i.epoch_end).count();
        ends.saturating_sub(1).max(1)
    }

    /// Bytes of the largest collective of the data-parallel group, and how many take part.
    pub fn data_parallel(&self) -> Option<(u64, u64)> {
        let all = self.items.iter().filter(|i| i.group == Group::Data);
        all.map(|i| (i.bytes, i.group_size)).max()
    }

    fn of(&self, comm: Comm, group: Group) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |i| i.comm == comm && i.group == group)
    }
}

/// Where each column is.
struct Columns {
    comm: usize,
    group: usize,
    group_size: Option<usize>,
    bytes: usize,
    phase: usize,
    count: usize,
}

impl Columns {
    fn read(header: &str) -> Result<Self, String> {
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let find = |name: &str| names.iter().position(|n| *n == name);
        let needs =
            |name: &str| find(name).ok_or_else(|| format!("column {name} is missing; found {}", names.join(", ")));
        Ok(Columns {
            comm: needs("comm_type")?,
            group: needs("comm_group")?,
            group_size: find("comm_group_size"),
            bytes: needs("msg_size")?,
            phase: needs("stage")?,
            count: names.len(),
        })
    }

    fn item(&self, line: &str, number: usize, stage: usize) -> Result<Item, String> {
        // The `additional` column may hold commas of its own; all that is read stands before it.
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() < self.count {
            return Err(format!("{number}:1: expected {} columns, found {}", self.count, cells.len()));
        }
        let column_of = |i: usize| cells[..i].iter().map(|c| c.len() + 1).sum::<usize>() + 1;
        let whole = |i: usize| match cells[i] {
            "None" | "" => Ok(0),
            text => text
                .parse::<f64>()
                .ok()
                .filter(|x| *x >= 0.0 && x.is_finite())
                .map(|x| x as u64)
                .ok_or_else(|| format!("{number}:{}: expected a number, found {text:?}", column_of(i))),
        };
        let comm = match cells[self.comm].trim_start_matches("CommType.") {
            "isend" | "send" => Comm::Send,
            "irecv" | "recv" => Comm::Receive,
            "all_reduce" => Comm::AllReduce,
            "all_gather" => Comm::AllGather,
            "reduce_scatter" => Comm::ReduceScatter,
            "broadcast" => Comm::Broadcast,
            "barrier" | "epoch_end" | "computation" => Comm::Other,
            other => return Err(format!("{number}:{}: unknown comm_type {other:?}", column_of(self.comm))),
        };
        let group = match cells[self.group].trim_start_matches("CommGroup.") {
            "dp_group" => Group::Data,
            "tp_group" => Group::Tensor,
            "pp_group" => Group::Pipeline,
            _ => Group::Other,
        };
        Ok(Item {
            line: number,
            stage,
            comm,
            epoch_end: cells[self.comm].ends_with("epoch_end"),
            group,
            group_size: self.group_size.map_or(Ok(1), whole)?,
            bytes: whole(self.bytes)?,
            phase: cells[self.phase].to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[ pp_stage0: [rank0, rank1] ]
comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,busbw,count
CommType.broadcast,CommGroup.tp_group,2,16384,forward_step,None,0,,None,None,None,1
CommType.isend,CommGroup.pp_group,1,33554432,forward_step,16,None,send_next,None,None,None,1
CommType.irecv,CommGroup.pp_group,1,33554432,backward_step,None,16,recv_next,None,None,None,1
CommType.epoch_end,None,None,None,None,None,None,,None,None,None,1
[ pp_stage1: [rank16, rank17] ]
comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,busbw,count
CommType.isend,CommGroup.pp_group,1,33554432,backward_step,0,None,send_prev,None,None,None,1
CommType.all_reduce,CommGroup.dp_group,8,3221225472,backward_step,None,None,,None,None,None,1
";

    #[test]
    fn a_trace_of_two_stages_is_read() {
        let t = Trace::parse(TEXT).unwrap();
        assert_eq!((t.stages, t.items.len()), (2, 6));
        assert_eq!((t.send_bytes(), t.sends(0), t.sends(1)), (Some(33_554_432), 1, 1));
        assert_eq!(t.iterations(), 1);
        assert_eq!(t.data_parallel(), Some((3_221_225_472, 8)));
        assert_eq!((t.items[3].comm, t.items[3].bytes, t.items[3].phase.as_str()), (Comm::Other, 0, "None"));
    }

    #[test]
    fn an_older_trace_has_no_group_size_and_no_brackets() {
        let t = Trace::parse("comm_type,comm_group,msg_size,stage\nCommType.all_reduce,CommGroup.dp_group,8,init\n")
            .unwrap();
        assert_eq!((t.stages, t.items[0].group_size), (1, 1));
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_column() {
        for (from, to, says) in [
            (",msg_size", ",size", "2:1: column msg_size is missing"),
            ("CommType.broadcast", "CommType.brodcast", "3:1: unknown comm_type \"brodcast\""),
            (",2,16384", ",2,16k", "3:41: expected a number, found \"16k\""),
            (
                "CommGroup.tp_group,2,16384,forward_step,None,0,,None,None,None,1",
                "CommGroup.tp_group",
                "3:1: expected 12 columns, found 2",
            ),
        ] {
            let why = Trace::parse(&TEXT.replacen(from, to, 1)).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
        assert!(Trace::parse("").unwrap_err().contains("found no line"));
        assert!(Trace::parse("a,b\n").unwrap_err().contains("1:1: expected a header"));
    }
}
