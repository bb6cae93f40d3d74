//! Calls that have no safe form: jobs, memory, and the number of bytes in a pipe.
//!
//! Each passes pointers to local values, and handles that outlive the call.
#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::{from_mut, null, null_mut};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

/// Exit code of processes that are killed.
const KILLED_EXIT_CODE: u32 = 1;
/// Bytes of the limits of a job.
const LIMITS_BYTES: u32 = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;

/// A job: a process and those that it started. They are killed when it is closed.
#[derive(Debug)]
pub(super) struct ProcessJob(OwnedHandle);

impl ProcessJob {
    /// Makes a job with this process.
    pub(super) fn with(process: BorrowedHandle<'_>) -> io::Result<Self> {
        // SAFETY: no attributes and no name are given, and the handle is new.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle was just created, and has no other owner.
        let job = ProcessJob(unsafe { OwnedHandle::from_raw_handle(job) });
        let mut limits = no_limits();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let handle = job.0.as_raw_handle();
        // SAFETY: the limits have the type and size that their class requires.
        done(unsafe {
            SetInformationJobObject(
                handle,
                JobObjectExtendedLimitInformation,
                from_mut(&mut limits).cast(),
                LIMITS_BYTES,
            )
        })?;
        // SAFETY: both handles are open.
        done(unsafe { AssignProcessToJobObject(handle, process.as_raw_handle()) })?;
        Ok(job)
    }

    /// Kills all processes in the job.
    pub(super) fn kill(&self) {
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED_EXIT_CODE) };
    }
}

fn no_limits() -> JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
    // SAFETY: it consists of numbers.
    unsafe { zeroed() }
}

/// Returns the memory of the machine, or the limit of the job of this process if that is less.
pub(crate) fn memory() -> Option<u64> {
    let limits = machine_memory().into_iter().chain(job_memory());
    limits.min()
}

fn machine_memory() -> Option<u64> {
    let mut status = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..MEMORYSTATUSEX::default()
    };
    // SAFETY: the value states its size.
    done(unsafe { GlobalMemoryStatusEx(&mut status) }).ok()?;
    Some(status.ullTotalPhys)
}

fn job_memory() -> Option<u64> {
    let mut limits = no_limits();
    // SAFETY: the limits have the type and size that their class requires; no handle is that of the own job.
    let asked = done(unsafe {
        QueryInformationJobObject(
            null_mut(),
            JobObjectExtendedLimitInformation,
            from_mut(&mut limits).cast(),
            LIMITS_BYTES,
            null_mut(),
        )
    });
    asked.ok()?;
    let flags = limits.BasicLimitInformation.LimitFlags;
    let of_process =
        (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY != 0).then_some(limits.ProcessMemoryLimit);
    let of_job = (flags & JOB_OBJECT_LIMIT_JOB_MEMORY != 0).then_some(limits.JobMemoryLimit);
    let limits = of_process.into_iter().chain(of_job);
    limits
        .filter(|&bytes| bytes > 0)
        .min()
        .map(|bytes| bytes as u64)
}

/// Whether a read of the pipe returns at once: it holds bytes, or its other end is closed.
pub(super) fn is_ready(pipe: BorrowedHandle<'_>) -> bool {
    let mut held = 0;
    let pipe = pipe.as_raw_handle();
    // SAFETY: only the number of bytes is asked for, and it is written to a number of that type.
    let asked = unsafe { PeekNamedPipe(pipe, null_mut(), 0, null_mut(), &mut held, null_mut()) };
    // It fails if the other end is closed.
    asked == 0 || held > 0
}

fn done(result: i32) -> io::Result<()> {
    match result {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
