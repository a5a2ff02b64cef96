//! Time, and the processor it is spent on.

use std::time::Duration;

/// The time that this thread has computed, whoever else uses the machine.
pub fn busy() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes into `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time since the first call, with others' in it: what several threads are for.
pub fn wall() -> Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}

/// Lets this thread, and those it starts, run on every processor again.
pub fn unpin() {
    #[cfg(target_os = "linux")]
    // SAFETY: the set is ours and of the size that is given.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for processor in 0..8 * size_of::<libc::cpu_set_t>() {
            libc::CPU_SET(processor, &mut set);
        }
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

/// Keeps this thread, and the processes it starts, on one processor, where the system can.
pub fn pin() {
    #[cfg(target_os = "linux")]
    // SAFETY: the set is ours and of the size that is given.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu().max(0) as usize, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

/// The machine in words.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let cores = info.lines().filter(|line| line.starts_with("processor")).count();
    format!("{}, {cores} cores; one thread, kept on one core", name.unwrap_or("an unknown processor"))
}
