import { isCancelling } from '@recto/contract/job-status.ts'
import type { AnyJob } from '../../../events/jobs/admin-jobs.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed, doneNotice, errorNotice } from '../controls.ts'
import { html, msg, t } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** Imports, exports and moves of everybody. */
export function jobsScreen({ jobs, ...shown }: Shown & { readonly jobs: List<AnyJob> }): Screen {
  return adminScreen({
    tab: 'Jobs',
    heading: t('Jobs'),
    main: html`${doneNotice(shown.done)}
${errorNotice(shown.failed)}
<p>${t('Imports, exports and moves of everybody that take longer than a few seconds, for a week.')}</p>
${rows(t('Jobs'), jobs.items.map(jobRow), html`<p>${t('No jobs.')}</p>`)}
${pager(adminUrl('jobs'), {}, { cursor: shown.cursor, nextCursor: jobs.nextCursor })}`,
  })
}

const TITLES = { import: msg('Import'), export: msg('Export'), move: msg('Move') } as const
const ABOUT = {
  import: msg('the import of {name}'),
  export: msg('the export of {name}'),
  move: msg('the move of {name}'),
} as const
const STATES = {
  running: msg('running'),
  done: msg('done'),
  failed: msg('failed'),
  interrupted: msg('interrupted'),
  cancelled: msg('cancelled'),
} as const satisfies Record<AnyJob['status'], string>

function jobRow(job: AnyJob): Row {
  const { id, kind, space, principal, status, done, total, startedAt } = job
  const by = html`<a href="${adminUrl('people', principal.id)}">${actorName(principal)}</a>`
  const isRunning = status === 'running'
  const isEnding = isCancelling(job)
  return {
    title: html`${t(TITLES[kind])} <span class="quiet">${space}</span>`,
    badges: [badge(isEnding ? t('cancelling') : t(STATES[status]), isRunning ? 'info' : 'plain')],
    about: html`${t('by {name}, started {when}', { name: by, when: moment(startedAt) })}; ${
      total === null
        ? t('{done, number} pages and files', { done })
        : t('{done, number} of {total, number} pages and files', { done, total })
    }`,
    ...(isRunning &&
      !isEnding && {
        actions: confirmed({
          action: adminUrl('jobs', id, 'cancel'),
          text: t('Cancel'),
          about: t(ABOUT[kind], { name: principal.name }),
          sure: t('Cancel the job'),
          warning: t('What an import has written stays. A move changes nothing.'),
        }),
      }),
  }
}
