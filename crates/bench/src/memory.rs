//! The memory of this process and the time of others, as the system counts them. Where the system doesn't say, memory is 0.

use std::time::Duration;

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

/// How long a process has computed, on all its threads.
pub fn computed(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything, fields 11 and 12 are ticks in the program and in the kernel for it.
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    // SAFETY: it only answers.
    let second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Some(Duration::from_secs_f64((ticks(11)? + ticks(12)?) as f64 / second.max(1) as f64))
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
    fn the_time_of_a_process_grows_when_it_computes() {
        let before = computed(std::process::id()).expect("the system says");
        let busy = || (0..1_000_000u64).fold(1u64, |x, y| std::hint::black_box(x.wrapping_mul(31).wrapping_add(y)));
        let grown = (0..10_000).any(|_| busy() > 0 && computed(std::process::id()).is_some_and(|time| time > before));
        assert!(grown);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_written_to_is_counted() {
        let before = settled();
        let block = vec![1u8; 32 << 20];
        assert!(added(before) >= block.len() / 2);
    }
}
