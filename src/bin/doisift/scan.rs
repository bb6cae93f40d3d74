//! `doisift scan`: runs the plan.

use doisift::Report;

use crate::args::ScanArgs;
use crate::ending::Ending;
use crate::plan::Plan;
use crate::progress::Meter;
use crate::summary::{self, Shown};
use crate::watch::watched;

/// Runs the scan that the arguments describe.
pub(crate) fn run(args: ScanArgs) -> anyhow::Result<Ending> {
    let plan = Plan::new(args)?;
    let meter = Meter::new(plan.progress, plan.log);
    plan.log_decisions();
    let Plan {
        pipeline,
        monitor,
        checkpoint,
        summary,
        ..
    } = plan;
    let ending = move |report: &Report| ending(report, summary);
    watched(&monitor, meter, checkpoint, move || pipeline.run(), ending)
}

fn ending(report: &Report, shown: Shown) -> Ending {
    summary::scan(report, shown);
    match report.errors.count {
        0 => Ending::Whole,
        _ => Ending::Lossy,
    }
}
