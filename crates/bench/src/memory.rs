//! The memory of this process, as the system counts it. Where the system doesn't say, everything is 0.

/// Gives back what is free, and begins to look for the largest size anew; gives the size now.
pub fn settled() -> usize {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only returns pages that nobody uses.
    unsafe {
        libc::malloc_trim(0);
    }
    // The kernel forgets the largest size; where it may not, what was before counts too.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    status("VmRSS:")
}

/// How much larger than this the process has been since then.
pub fn added(before: usize) -> usize {
    status("VmHWM:").saturating_sub(before)
}

/// A line of the system's report, in bytes.
fn status(name: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
    kilobytes.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_written_to_is_counted() {
        let before = settled();
        let block = vec![1u8; 32 << 20];
        assert!(added(before) >= block.len() / 2);
    }
}
