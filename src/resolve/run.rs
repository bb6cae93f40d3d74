//! Runs it: reads the names, opens the cache, asks, and writes the rows.

use std::time::Instant;

use super::ask::NameResolution;
use super::names::InputNames;
use super::options::ResolveSettings;
use super::report::ResolveReport;
use crate::error::Error;
use crate::records::{Output, writer};
use crate::registry::cancelled_with;
use crate::report::Losses;
use crate::task::{Destinations, RowTarget, TaskFiles, not_cancelled};

/// Asks for all names of the inputs and writes the rows.
pub(super) fn run(settings: &ResolveSettings) -> Result<ResolveReport, Error> {
    let started = Instant::now();
    let files = TaskFiles {
        rows: RowTarget::file(settings.output.as_deref()),
        side_outputs: &[],
        has_caller: false,
        report: settings.report.as_deref(),
        services: &settings.services,
        monitor: &settings.monitor,
    };
    files.run(
        |destinations| check(settings, destinations),
        |(), rows, destinations| {
            let names = InputNames::read(settings, &destinations.own())?;
            settings.monitor.settle();
            not_cancelled(&settings.monitor)?;
            ask(settings, names, rows)
        },
        |(rows, mut report)| {
            report.seconds = started.elapsed().as_secs_f64();
            Ok((rows, report))
        },
    )
}

/// # Errors
/// If an output is an input or the cache.
fn check(settings: &ResolveSettings, destinations: &Destinations) -> Result<(), Error> {
    destinations.check_all(&settings.files())?;
    let mut cache = settings.registry.cache_file().into_iter();
    cache.try_for_each(|cache| destinations.check(cache))
}

/// Asks for the names and writes their rows.
fn ask(
    settings: &ResolveSettings,
    names: InputNames,
    rows: Output,
) -> Result<(Output, ResolveReport), Error> {
    let (monitor, client) = (&settings.monitor, settings.registry.client());
    let mut report = report(settings, names.losses.clone());
    let mut cache = settings.registry.open_cache()?;
    let questions = names.dois().count() as u64;
    monitor.add_questions(questions * (1 + u64::from(settings.agency)));
    let mut out = writer(&settings.layout, rows).map_err(Error::output)?;
    let mut resolution = NameResolution {
        names: &names,
        client,
        cache: &mut cache,
        monitor,
        report: &mut report,
    };
    cancelled_with(monitor, client.cancel_handle(), || {
        let agencies = settings.agency.then(|| resolution.agencies()).transpose()?;
        resolution.answers(agencies.as_deref(), &mut *out)
    })?;
    Ok((out.finish().map_err(Error::output)?, report))
}

fn report(settings: &ResolveSettings, errors: Losses) -> ResolveReport {
    ResolveReport {
        version: env!("CARGO_PKG_VERSION"),
        options: settings.for_report(),
        rows: 0,
        known: 0,
        unknown: 0,
        could_not_ask: 0,
        refused: 0,
        in_part: 0,
        cached: 0,
        asked: 0,
        errors,
        seconds: 0.0,
    }
}
