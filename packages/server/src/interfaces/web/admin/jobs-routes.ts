import { isCancelling } from '@recto/contract/job-status.ts'
import { given } from '@recto/lib/given.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type AnyJob, cancelAnyJob, listAllJobs } from '../../../events/jobs/admin-jobs.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { confirmed, doneNotice, errorNotice } from '../controls.ts'
import { html, msg, t } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

/** The jobs of everybody, and cancelling them. */
export const jobsRoutes = registerRoutes(
  screenRoute('/manage/jobs', {
    query,
    view: (request) => {
      const { cursor, done } = request.query
      const text = done === 'cancelled' ? t('The job ends with its next batch.') : undefined
      return jobs(request, { cursor, done: text })
    },
  }),
  formRoute('/manage/jobs/:id/cancel', {
    act: ({ ctx, params }) => whenDone(cancelAnyJob(ctx, params.id), adminUrl('jobs'), 'cancelled'),
    view: (request, failed) => jobs(request, { failed }),
  }),
)

/** Imports, exports and moves of everybody. */
async function jobs({ ctx }: FastifyRequest, { cursor, done, failed }: Shown): Promise<Screen> {
  const jobs = await listAllJobs(ctx, given({ cursor }))
  return adminScreen({
    tab: 'Jobs',
    heading: t('Jobs'),
    main: html`${doneNotice(done)}
${errorNotice(failed)}
<p>${t('Imports, exports and moves of everybody that take longer than a few seconds, for a week.')}</p>
${rows(t('Jobs'), jobs.items.map(jobRow), html`<p>${t('No jobs.')}</p>`)}
${pager(adminUrl('jobs'), {}, { cursor, nextCursor: jobs.nextCursor })}`,
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
