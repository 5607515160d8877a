import type { AnyJob } from '../../../client/src/types.ts'
import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printList, printResult } from '../print.ts'
import { timeText } from '../table.ts'

/** `recto jobs list` */
export async function listJobsCommand(call: CommandCall): Promise<void> {
  const jobs = openClient(call.terminal).jobs.list({ running: call.flag('running') })
  await printList(call, jobs, 'No jobs.', [
    { title: 'ID', of: ({ id }) => id },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'SPACE', of: ({ space }) => space, cut: true },
    { title: 'BY', of: ({ principal }) => principal.name, cut: true },
    { title: 'STATUS', of: formatStatus },
    { title: 'DONE', of: ({ done, total }) => (total === null ? `${done}` : `${done} of ${total}`) },
    { title: 'STARTED', of: ({ startedAt }) => timeText(startedAt) },
  ])
}

/** `recto jobs cancel` */
export async function cancelJobCommand(call: CommandCall): Promise<void> {
  const job = await openClient(call.terminal).jobs.cancel(call.arg('id'))
  printResult(
    call,
    job,
    `The ${job.kind} of ${job.principal.name} in ${job.space} is ${formatStatus(job)}${job.status === 'running' ? ': it ends within seconds' : ''}.`,
  )
}

/** A cancelled job runs until its next batch. */
function formatStatus({ status, cancelledAt }: AnyJob): string {
  return status === 'running' && cancelledAt !== null ? 'cancelling' : status
}
