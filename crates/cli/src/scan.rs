//! `doisift scan`: runs the plan.

use std::io;

use anyhow::Context;
use doisift::ScanReport;

use crate::args::ScanArgs;
use crate::closed;
use crate::plan::Plan;
use crate::progress::Meter;
use crate::screen::ScreenTable;
use crate::summary::{self, SummaryChoice};
use crate::watch::watched;
use doisift::internal::{Ending, TaskReport};

/// Runs the scan that the arguments describe.
pub(crate) fn run(args: ScanArgs) -> anyhow::Result<Ending> {
    closed::check(args.options.path("output"), args.options.path("report"))?;
    let plan = Plan::new(args)?;
    let meter = Meter::new(plan.progress, plan.log);
    plan.log_decisions();
    let interruption = plan.interruption();
    let Plan {
        scan,
        monitor,
        summary,
        table,
        ..
    } = plan;
    let run = move || match table {
        Some(mut table) => Ok((table.fill(scan)?, Some(table))),
        None => Ok((scan.run()?, None)),
    };
    watched(&monitor, meter, interruption, run, |(report, table)| {
        ending(&report, table, summary)
    })
}

fn ending(
    report: &ScanReport,
    table: Option<ScreenTable<io::Stdout>>,
    shown: SummaryChoice,
) -> anyhow::Result<Ending> {
    if let Some(mut table) = table {
        table.end().context("standard output")?;
    }
    summary::scan(report, shown);
    Ok(report.ending())
}
