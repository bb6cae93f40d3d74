//! The service "Which RA": the path of a batch of names, and its replies (P5).

use doisift_core::{Doi, UrlEncoding};
use serde::Deserialize;

use crate::fetch::ServiceReply;
use crate::{Agency, ServiceFailure};

/// Maximum number of names of a request.
pub(crate) const MAX_REQUEST_NAMES: usize = 25;

/// Maximum length of the path of a request, unless one name alone is longer.
const MAX_PATH_BYTES: usize = 2000;

/// Returns a name as a list has it: encoded for a URL, with its commas, since commas separate the names (H1).
fn encoded(doi: &Doi) -> String {
    let url = doi.to_url(UrlEncoding::Recommended);
    let name = url.trim_start_matches("https://doi.org/");
    name.replace(',', "%2C")
}

/// Returns the path of a batch below the endpoint.
pub(crate) fn path(names: &[Doi]) -> String {
    let names: Vec<_> = names.iter().map(encoded).collect();
    format!("doiRA/{}", names.join(","))
}

/// Whether the request for `batch` has room for `next`.
pub(crate) fn fits(batch: &[Doi], next: &Doi) -> bool {
    let length = path(batch).len() + 1 + encoded(next).len();
    batch.is_empty() || length <= MAX_PATH_BYTES
}

/// One answer of the array: the agency, or the reason that there is none.
#[derive(Deserialize)]
struct AgencyRow {
    #[serde(rename = "DOI")]
    doi: String,
    #[serde(rename = "RA", alias = "status")]
    text: String,
}

/// The document shows a single object, the service sends an array.
#[derive(Deserialize)]
#[serde(untagged)]
enum AgencyRows {
    Many(Vec<AgencyRow>),
    One(AgencyRow),
}

/// Returns the answers for the names of a batch, in their order. A name that the reply leaves out could not be asked.
pub(crate) fn parse_agencies(
    names: &[Doi],
    reply: &ServiceReply,
) -> Result<Vec<Agency>, ServiceFailure> {
    if reply.status != 200 {
        return Err(ServiceFailure::Http(reply.status));
    }
    let rows = serde_json::from_slice(&reply.body);
    let rows = match rows.map_err(|error| ServiceFailure::Body(error.to_string()))? {
        AgencyRows::Many(rows) => rows,
        AgencyRows::One(row) => vec![row],
    };
    let of = |doi: &Doi| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row.doi.eq_ignore_ascii_case(doi.as_str()));
        let left_out =
            || Agency::CouldNotAsk(ServiceFailure::Body("it leaves out the name".to_owned()));
        row.map_or_else(left_out, |row| agency(&row.text))
    };
    Ok(names.iter().map(of).collect())
}

fn agency(text: &str) -> Agency {
    match text {
        "DOI does not exist" => Agency::NotRegistered,
        "Invalid DOI" => Agency::Invalid,
        "Unknown" => Agency::Undetermined,
        _ => Agency::Known(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<const N: usize>(names: [&str; N]) -> [Doi; N] {
        names.map(|name| Doi::new(name).unwrap())
    }

    fn said(names: &[Doi], status: u16, body: &str) -> Result<Vec<Agency>, ServiceFailure> {
        let body = body.as_bytes().to_vec();
        parse_agencies(names, &ServiceReply { status, body })
    }

    #[test]
    fn p5_the_example_of_the_document() {
        let names = names(["10.5240/B1FA-0EEC-C316-3316-3A73-L"]);
        let object = r#"{"DOI": "10.5240/B1FA-0EEC-C316-3316-3A73-L", "RA": "EIDR"}"#;
        let eidr = Ok(vec![Agency::Known("EIDR".to_owned())]);
        assert_eq!(said(&names, 200, object), eidr);
        assert_eq!(said(&names, 200, &format!("[{object}]")), eidr);
    }

    #[test]
    fn p5_the_three_errors_of_the_handbook_differ() {
        let names = names(["10.5555/a", "10.5555/b", "10.5555/C", "10.5555/d"]);
        let body = r#"[{"DOI":"10.5555/d","RA":"DataCite"},{"DOI":"10.5555/a","status":"Invalid DOI"},
            {"DOI":"10.5555/b","status":"DOI does not exist"},{"DOI":"10.5555/c","status":"Unknown"}]"#;
        let expected = vec![
            Agency::Invalid,
            Agency::NotRegistered,
            Agency::Undetermined,
            Agency::Known("DataCite".to_owned()),
        ];
        assert_eq!(said(&names, 200, body), Ok(expected));
    }

    #[test]
    fn p5_what_is_not_the_interface_is_no_answer() {
        let names = names(["10.5555/a", "10.5555/b"]);
        assert_eq!(said(&names, 404, "[]"), Err(ServiceFailure::Http(404)));
        for body in ["", "<html>", r#"[{"DOI":"10.5555/a"}]"#] {
            let said = said(&names, 200, body);
            assert!(
                matches!(said, Err(ServiceFailure::Body(_))),
                "{body}: {said:?}"
            );
        }
        let half = said(&names, 200, r#"[{"DOI":"10.5555/a","RA":"Crossref"}]"#).unwrap();
        assert_eq!(half[0], Agency::Known("Crossref".to_owned()));
        assert!(matches!(
            half[1],
            Agency::CouldNotAsk(ServiceFailure::Body(_))
        ));
    }

    #[test]
    fn p5_commas_inside_names_are_encoded() {
        let names = names(["10.5555/1,2-diol", "10.5555/b#c", "10.5555/<d>"]);
        assert_eq!(
            path(&names),
            "doiRA/10.5555/1%2C2-diol,10.5555/b%23c,10.5555/%3Cd%3E"
        );
    }

    #[test]
    fn a_long_name_is_asked_alone() {
        let [short] = names(["10.5555/a"]);
        let long = Doi::new(&format!("10.5555/{}", "x".repeat(MAX_PATH_BYTES))).unwrap();
        let fits = [
            fits(&[], &long),
            fits(std::slice::from_ref(&short), &long),
            fits(std::slice::from_ref(&long), &short),
            fits(&vec![short.clone(); MAX_REQUEST_NAMES], &short),
        ];
        assert_eq!(fits, [true, false, false, true]);
    }
}
