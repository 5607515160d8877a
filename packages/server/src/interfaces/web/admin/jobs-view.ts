import { isCancelling } from '@recto/contract/job-status.ts'
import type { AnyJob } from '../../../events/jobs/admin-jobs.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed, doneNotice, errorNotice } from '../controls.ts'
import { html } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** Imports, exports and moves of everybody. */
export function jobsScreen({
  jobs,
  ...shown
}: Shown & {
  readonly jobs: List<AnyJob>
}): Screen {
  return adminScreen({
    tab: 'Jobs',
    heading: 'Jobs',
    main: html`${doneNotice(shown.done)}
${errorNotice(shown.failed)}
<p>Imports, exports and moves of everybody that take longer than a few seconds, for a week.</p>
${rows('Jobs', jobs.items.map(jobRow), html`<p>No jobs.</p>`)}
${pager(adminUrl('jobs'), {}, { cursor: shown.cursor, nextCursor: jobs.nextCursor })}`,
  })
}

const TITLES = { import: 'Import', export: 'Export', move: 'Move' } as const

function jobRow(job: AnyJob): Row {
  const { id, kind, space, principal, status, done, total, startedAt } = job
  const isRunning = status === 'running'
  const isEnding = isCancelling(job)
  return {
    title: html`${TITLES[kind]} <span class="quiet">${space}</span>`,
    badges: [badge(isEnding ? 'cancelling' : status, isRunning ? 'info' : 'plain')],
    about: html`by <a href="${adminUrl('people', principal.id)}">${actorName(principal)}</a>, started ${moment(startedAt)}; ${done}${total !== null && html` of ${total}`} pages and files`,
    ...(isRunning &&
      !isEnding && {
        actions: confirmed({
          action: adminUrl('jobs', id, 'cancel'),
          text: 'Cancel',
          about: `the ${kind} of ${principal.name}`,
          sure: 'Cancel the job',
          warning: 'What an import has written stays. A move changes nothing.',
        }),
      }),
  }
}
