// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The exact text of every log format.

use std::fs;
use std::path::Path;
use std::process::Command;

use vmaf_rs::feature::collector::Collector;
use vmaf_rs::output::{OutputFormat, Precision, Report, write, write_file};

/// A column by name and its values by index.
type Column<'a> = (&'a str, &'a [(u32, f64)]);

fn table(columns: &[Column<'_>]) -> Collector {
    let mut table = Collector::new();
    for (name, values) in columns {
        let id = table.column(name);
        values.iter().for_each(|&(index, value)| table.append(id, index, value).unwrap());
    }
    table
}

fn report(collector: &Collector, pairs: u64) -> Report<'_> {
    let (width, height) = if pairs > 0 { (64, 48) } else { (0, 0) };
    Report { collector, version: "1.2.3", width, height, pairs, subsample: 0, precision: Precision::Default }
}

fn text(report: &Report<'_>, format: OutputFormat) -> String {
    let mut bytes = Vec::new();
    write(report, format, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The log, checked by a parser, with a measured rate replaced by `FPS`.
fn json(report: &Report<'_>) -> String {
    let text = text(report, OutputFormat::Json);
    serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    without_rate(&text, "  \"fps\": ", ',')
}

fn xml(report: &Report<'_>) -> String {
    let text = text(report, OutputFormat::Xml);
    roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    without_rate(&text, "  <fyi fps=\"", '"')
}

fn csv(report: &Report<'_>) -> String {
    text(report, OutputFormat::Csv)
}

fn sub(report: &Report<'_>) -> String {
    text(report, OutputFormat::Sub)
}

fn without_rate(text: &str, before: &str, after: char) -> String {
    let (head, rest) = text.split_once(before).unwrap();
    let (rate, tail) = rest.split_once(after).unwrap();
    let measured = rate.parse::<f64>().is_ok_and(f64::is_finite);
    format!("{head}{before}{}{after}{tail}", if measured { "FPS" } else { rate })
}

#[test]
fn rows_of_all_columns() {
    let mut table = table(&[
        ("VMAF_integer_feature_adm2_score", &[(0, 0.5), (1, 1.0)]),
        ("psnr_y", &[(0, 40.0), (1, 0.0000004)]),
    ]);
    table.set_aggregate("apsnr_y", 41.25).unwrap();
    table.set_aggregate("apsnr_cb", 42.5).unwrap();
    let report = report(&table, 2);
    assert_eq!(
        xml(&report),
        r#"<VMAF version="1.2.3">
  <params qualityWidth="64" qualityHeight="48" />
  <fyi fps="FPS" />
  <frames>
    <frame frameNum="0" integer_adm2="0.500000" psnr_y="40.000000" />
    <frame frameNum="1" integer_adm2="1.000000" psnr_y="0.0000004000000000" />
  </frames>
  <pooled_metrics>
    <metric name="integer_adm2" min="0.500000" max="1.000000" mean="0.750000" harmonic_mean="0.714286" />
    <metric name="psnr_y" min="0.0000004000000000" max="40.000000" mean="20.0000001999999988" harmonic_mean="0.952382" />
  </pooled_metrics>
  <aggregate_metrics apsnr_y="41.250000" apsnr_cb="42.500000" />
</VMAF>
"#
    );
    assert_eq!(
        json(&report),
        r#"{
  "version": "1.2.3",
  "fps": FPS,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "integer_adm2": 0.500000,
        "psnr_y": 40.000000
      }
    },
    {
      "frameNum": 1,
      "metrics": {
        "integer_adm2": 1.000000,
        "psnr_y": 0.0000004000000000
      }
    }
  ],
  "pooled_metrics": {
    "integer_adm2": {
      "min": 0.500000,
      "max": 1.000000,
      "mean": 0.750000,
      "harmonic_mean": 0.714286
    },
    "psnr_y": {
      "min": 0.0000004000000000,
      "max": 40.000000,
      "mean": 20.0000001999999988,
      "harmonic_mean": 0.952382
    }
  },
  "aggregate_metrics": {
    "apsnr_y": 41.250000,
    "apsnr_cb": 42.500000
  }
}
"#
    );
    assert_eq!(
        csv(&report),
        "Frame,integer_adm2,psnr_y,\n0,0.500000,40.000000,\n1,1.000000,0.0000004000000000,\n"
    );
    assert_eq!(
        sub(&report),
        "{0}{1}frame: 0|integer_adm2: 0.500000|psnr_y: 40.000000|\n\
         {1}{2}frame: 1|integer_adm2: 1.000000|psnr_y: 0.0000004000000000|\n"
    );
}

#[test]
fn missing_values_and_a_first_index_above_0() {
    let table = table(&[("a", &[(5, 1.0), (u32::MAX, 3.0)]), ("b", &[(6, 2.0)])]);
    let report = report(&table, 7);
    assert_eq!(
        xml(&report).split_once("  <frames>\n").unwrap().1,
        r#"    <frame frameNum="5" a="1.000000" />
    <frame frameNum="6" b="2.000000" />
    <frame frameNum="4294967295" a="3.000000" />
  </frames>
  <pooled_metrics>
    <metric name="a" />
    <metric name="b" />
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
"#
    );
    assert_eq!(
        json(&report).split_once("\"fps\": FPS,\n").unwrap().1,
        r#"  "frames": [
    {
      "frameNum": 5,
      "metrics": {
        "a": 1.000000
      }
    },
    {
      "frameNum": 6,
      "metrics": {
        "b": 2.000000
      }
    },
    {
      "frameNum": 4294967295,
      "metrics": {
        "a": 3.000000
      }
    }
  ],
  "pooled_metrics": {
    "a": {
    },
    "b": {
    }
  },
  "aggregate_metrics": {
  }
}
"#
    );
    assert_eq!(csv(&report), "Frame,a,b,\n5,1.000000,,\n6,,2.000000,\n4294967295,3.000000,,\n");
    assert_eq!(
        sub(&report),
        "{5}{6}frame: 5|a: 1.000000|\n{6}{7}frame: 6|b: 2.000000|\n\
         {4294967295}{4294967296}frame: 4294967295|a: 3.000000|\n"
    );
}

#[test]
fn values_that_are_not_finite() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let mut table =
        table(&[("a", &[(0, inf), (1, 1.0)]), ("b", &[(0, nan), (1, -nan)]), ("c", &[(0, -0.0), (1, -inf)])]);
    table.set_aggregate("apsnr_y", inf).unwrap();
    let report = report(&table, 1);
    let lines = xml(&report);
    assert!(lines.contains("<frame frameNum=\"0\" a=\"inf\" b=\"nan\" c=\"-0.000000\" />\n"), "{lines}");
    assert!(lines.contains("<frame frameNum=\"1\" a=\"1.000000\" b=\"-nan\" c=\"-inf\" />\n"), "{lines}");
    assert!(
        lines.contains("<metric name=\"a\" min=\"inf\" max=\"inf\" mean=\"inf\" harmonic_mean=\"inf\" />\n"),
        "{lines}"
    );
    assert!(lines.contains("  <aggregate_metrics apsnr_y=\"inf\" />\n"), "{lines}");
    assert_eq!(csv(&report), "Frame,a,b,c,\n0,inf,nan,-0.000000,\n1,1.000000,-nan,-inf,\n");
    assert_eq!(
        sub(&report),
        "{0}{1}frame: 0|a: inf|b: nan|c: -0.000000|\n{1}{2}frame: 1|a: 1.000000|b: -nan|c: -inf|\n"
    );
    let lines = json(&report);
    let nulls = r#"        "a": null,        "b": null,        "c": -0.000000
      }
"#;
    assert!(lines.contains(nulls), "{lines}");
    let last = r#"        "a": 1.000000,
        "b": null,        "c": null      }
"#;
    assert!(lines.contains(last), "{lines}");
    let pooled = r#"    "a": {
      "min": null,
      "max": null,
      "mean": null,
      "harmonic_mean": null
    },
"#;
    assert!(lines.contains(pooled), "{lines}");
    assert!(lines.ends_with("  \"aggregate_metrics\": {\n    \"apsnr_y\": null\n  }\n}\n"), "{lines}");
}

#[test]
fn subsampling_takes_every_nth_index() {
    let table =
        table(&[("every", &[(0, 1.0), (1, 9.0), (2, 3.0), (3, 9.0)]), ("some", &[(0, 4.0), (2, 6.0)])]);
    let report = Report { subsample: 2, ..report(&table, 4) };
    assert_eq!(csv(&report), "Frame,every,some,\n0,1.000000,4.000000,\n2,3.000000,6.000000,\n");
    assert_eq!(sub(&report).lines().count(), 2);
    assert_eq!(xml(&report).matches("<frame ").count(), 2);
    let metric = "<metric name=\"every\" min=\"1.000000\" max=\"3.000000\" mean=\"2.000000\" harmonic_mean=\"1.666667\" />";
    assert!(xml(&report).contains(metric));
    assert!(json(&report).contains("\"some\": {\n      \"min\": 4.000000,\n      \"max\": 6.000000,\n"));
}

#[test]
fn columns_without_a_sampled_row() {
    let table = table(&[("a", &[(1, 1.0), (3, 1.0)])]);
    let report = Report { subsample: 2, ..report(&table, 4) };
    assert!(
        xml(&report).contains("  <frames>\n  </frames>\n  <pooled_metrics>\n    <metric name=\"a\" />\n")
    );
    assert!(
        json(&report).contains("  \"frames\": [\n  ],\n  \"pooled_metrics\": {\n    \"a\": {\n    }\n  },\n")
    );
    assert_eq!((csv(&report).as_str(), sub(&report).as_str()), ("Frame,a,\n", ""));
}

#[test]
fn an_empty_table() {
    let mut table = Collector::new();
    table.column("reserved, and never written");
    let report = report(&table, 0);
    assert_eq!(
        xml(&report),
        r#"<VMAF version="1.2.3">
  <params qualityWidth="0" qualityHeight="0" />
  <fyi fps="-nan" />
  <frames>
  </frames>
  <pooled_metrics>
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
"#
    );
    assert_eq!(
        json(&report),
        r#"{
  "version": "1.2.3",
  "fps": null,
  "frames": [
  ],
  "pooled_metrics": {
  },
  "aggregate_metrics": {
  }
}
"#
    );
    assert_eq!((csv(&report).as_str(), sub(&report).as_str()), ("Frame,\n", ""));
}

#[test]
fn pairs_without_time_have_an_infinite_rate() {
    let table = table(&[("a", &[(0, 1.0)])]);
    assert!(xml(&report(&table, 1)).contains("<fyi fps=\"inf\" />"));
    assert!(json(&report(&table, 1)).contains("\"fps\": null,\n"));
}

#[test]
fn a_rate_has_two_decimals_whatever_the_precision() {
    let mut table = table(&[("a", &[(0, 1.0)])]);
    std::thread::sleep(std::time::Duration::from_millis(1));
    let id = table.column("a");
    table.append(id, 1, 1.0).unwrap();
    let report = Report { precision: Precision::Max, ..report(&table, 2) };
    let expected = format!("<fyi fps=\"{:.2}\" />", 2.0 / table.elapsed().as_secs_f64());
    assert!(text(&report, OutputFormat::Xml).contains(&expected));
}

#[test]
fn precision_applies_to_every_value() {
    let mut table = table(&[("a", &[(0, 100.0 / 3.0)])]);
    table.set_aggregate("apsnr_y", 1e6).unwrap();
    let short = Report { precision: Precision::Digits(4), ..report(&table, 1) };
    assert!(xml(&short).contains("a=\"33.33\" "));
    assert!(xml(&short).contains("min=\"33.33\" max=\"33.33\" mean=\"33.33\" "));
    assert!(xml(&short).contains("apsnr_y=\"1e+06\" "));
    assert!(json(&short).contains("\"apsnr_y\": 1e+06\n"));
    assert_eq!(sub(&short), "{0}{1}frame: 0|a: 33.33|\n");
    let long = Report { precision: Precision::Max, ..short };
    assert_eq!(csv(&long), "Frame,a,\n0,33.333333333333336,\n");
}

#[test]
fn names_are_escaped() {
    let mut table = table(&[("a\"<b&c\\\n\u{1}", &[(0, 1.0)]), ("1d e=/>é×", &[(0, 2.0)])]);
    table.set_aggregate("f\"", 3.0).unwrap();
    let report = Report { version: "\"<&\\", ..report(&table, 1) };
    let lines = xml(&report);
    assert!(lines.starts_with("<VMAF version=\"&quot;&lt;&amp;\\\">\n"), "{lines}");
    assert!(
        lines.contains("<frame frameNum=\"0\" a__b_c___=\"1.000000\" _1d_e___é_=\"2.000000\" />"),
        "{lines}"
    );
    assert!(lines.contains("<metric name=\"a&quot;&lt;b&amp;c\\&#10;\u{fffd}\" min="), "{lines}");
    assert!(lines.contains("<metric name=\"1d e=/>é×\" min="), "{lines}");
    assert!(lines.contains("<aggregate_metrics f_=\"3.000000\" />"), "{lines}");
    let lines = json(&report);
    assert!(lines.contains("  \"version\": \"\\\"<&\\\\\",\n"), "{lines}");
    assert!(lines.contains("        \"a\\\"<b&c\\\\\\u000a\\u0001\": 1.000000,\n"), "{lines}");
    assert!(lines.contains("    \"f\\\"\": 3.000000\n"), "{lines}");
}

#[test]
fn a_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    fs::write(&path, "a longer text that was there before").unwrap();
    write_file(&report(&table(&[("a", &[(0, 1.0)])]), 1), OutputFormat::Csv, &path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "Frame,a,\n0,1.000000,\n");
}

#[test]
fn a_full_disk_is_an_error() {
    let error =
        write_file(&report(&Collector::new(), 0), OutputFormat::Xml, Path::new("/dev/full")).unwrap_err();
    assert_eq!(error.errno(), -libc::EINVAL);
    assert!(error.to_string().starts_with("could not write file: /dev/full: "), "{error}");
}

/// Runs itself in a second process, whose standard error it then reads.
#[test]
fn a_file_that_cannot_be_opened_is_told_on_standard_error() {
    const CHILD: &str = "VMAF_RS_TEST_CHILD";
    let path = "no such folder/log.xml";
    if std::env::var_os(CHILD).is_some() {
        let error =
            write_file(&report(&Collector::new(), 0), OutputFormat::Xml, Path::new(path)).unwrap_err();
        assert_eq!(error, vmaf_rs::error::Error::logged());
        return;
    }
    let this = std::env::current_exe().unwrap();
    let arguments = ["--exact", "a_file_that_cannot_be_opened_is_told_on_standard_error"];
    let child = Command::new(this).args(arguments).env(CHILD, "1").output().unwrap();
    assert!(child.status.success());
    assert_eq!(String::from_utf8(child.stderr).unwrap(), format!("could not open file: {path}\n"));
}
