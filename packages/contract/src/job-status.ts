/** Whether a job was asked to end, and has not ended yet: it runs until its next batch. */
export function isCancelling(job: { readonly status: string; readonly cancelledAt: unknown }): boolean {
  return job.status === 'running' && job.cancelledAt !== null
}
