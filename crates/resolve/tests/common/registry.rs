//! Answers of the tests' registry about its names, and the faults before them.

use std::time::Duration;

use doisift_resolve::HandleAnswer;

use super::{Act, Request, code, record};

pub fn url(name: &str) -> String {
    format!("https://landing.example/{name}")
}

pub fn known(name: &str) -> HandleAnswer {
    let urls = vec![url(name)];
    HandleAnswer::Known { urls }
}

/// Returns the number at the end of a name.
pub fn number(name: &str) -> usize {
    name.rsplit(['.', '/']).next().unwrap().parse().unwrap()
}

pub fn name(number: usize) -> String {
    format!("10.5555/a,b/#{}.{number}", number % 7)
}

pub fn expected(number: usize) -> HandleAnswer {
    let name = name(number);
    match number % 20 {
        1 | 11 => HandleAnswer::Unknown,
        2 => HandleAnswer::WithoutValues,
        4 => HandleAnswer::Alias {
            target: format!("10.5555/target.{number}"),
            answer: Some(Box::new(known(&format!("10.5555/target.{number}")))),
        },
        _ => known(&name),
    }
}

/// Returns the registry's answer about a name.
pub fn truth(name: &str) -> Act {
    if name.contains("/target.") {
        return record(name, "URL", &url(name));
    }
    let number = number(name);
    match expected(number) {
        HandleAnswer::Unknown => code(404, 100, name),
        HandleAnswer::WithoutValues => code(200, 200, name),
        HandleAnswer::Alias { target, .. } => record(name, "HS_ALIAS", &target),
        _ => record(name, "URL", &url(name)),
    }
}

/// Returns the true answer, after a fault at the first attempt of one name in ten.
pub fn faulty(request: &Request) -> Act {
    let name = request.name();
    let number = number(&name);
    let is_faulty = number % 10 == 3 && request.attempt == 0;
    match number / 10 % 8 {
        0 if is_faulty => code(500, 2, &name),
        1 if is_faulty => Act::json(503, "<html>"),
        2 if is_faulty => Act::json(429, ""),
        3 if is_faulty => Act::Reply(429, "Retry-After: 0\r\n".to_owned(), String::new()),
        4 if is_faulty => Act::Cut("{\"responseCode\":1,\"handle\":\"10".to_owned()),
        5 if is_faulty => Act::Close,
        6 if is_faulty => Act::json(200, "{\"responseCode\":"),
        7 if is_faulty => Act::Cut(String::new()),
        _ if number % 50 == 7 => Act::Slow(Duration::from_millis(60), Box::new(truth(&name))),
        _ if number % 50 == 8 && !request.path.starts_with("/moved") => {
            Act::redirect(&format!("/moved{}", request.path))
        }
        _ => truth(&name),
    }
}
