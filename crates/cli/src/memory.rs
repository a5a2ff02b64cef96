//! Limits the memory in use, so that a program that grows without end is stopped before the machine is exhausted.

use base::memory::{Meter, counted, limit};

/// Limits what programs on this thread may take. `Err` says what is wrong with the environment.
pub fn limit_programs() -> Result<(), String> {
    limit(Meter { used: counted, limit: bytes()? });
    Ok(())
}

/// What the user allows, or a third of what the machine has.
fn bytes() -> Result<usize, String> {
    const VARIABLE: &str = "EVERT_MEMORY_MB";
    const MEGABYTE: usize = 1 << 20;
    let Some(asked) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(machine_megabytes().map_or(4096, |megabytes| megabytes / 3) * MEGABYTE);
    };
    let asked = asked.to_string_lossy();
    let megabytes = asked.trim().parse::<usize>().ok().filter(|megabytes| *megabytes > 0);
    megabytes.and_then(|megabytes| megabytes.checked_mul(MEGABYTE)).ok_or_else(|| {
        let most = usize::MAX / MEGABYTE;
        format!("{VARIABLE} is `{asked}`; it can be a whole number of megabytes from 1 to {most}")
    })
}

fn machine_megabytes() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = total.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024)
}
