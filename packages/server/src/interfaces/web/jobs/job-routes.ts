import { type Job, type JobKind, readJob } from '../../../events/jobs/job.ts'
import type { Server } from '../../../platform/http/server.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import type { ExportReport, ExportSubject } from '../export/export-job.ts'
import { type Html, html, t } from '../html.ts'
import { type ImportSubject, importResult, type ShownImport } from '../import/import-result.ts'
import { messageCookie } from '../message.ts'
import { progressBar, refresh } from '../progress.ts'
import { moment } from '../rows.ts'
import { type Screen, sendScreen } from '../screen.ts'
import { browseUrl, exportUrl, importUrl, jobUrl, moveUrl } from '../urls.ts'
import type { MoveReport, MoveSubject } from './move-job.ts'

/** So long after the end of a move its message offers Undo. */
const UNDO_MS = 60_000

/** The progress of long work of the caller, and its result. */
export async function jobScreenRoutes(app: Server): Promise<void> {
  app.get<{ Params: { id: string } }>('/jobs/:id', { schema: { hide: true } }, async (request, reply) => {
    const { ctx, params } = request
    const { id } = params
    const job = await readJob(ctx, id)
    const isRecent = job.finishedAt && ctx.now().getTime() - job.finishedAt.getTime() < UNDO_MS
    if (job.kind === 'move' && job.status === 'done' && isRecent) {
      const { done } = job.result as MoveReport // as the move stored it
      reply.header('Set-Cookie', messageCookie(ctx.config.publicUrl, done.message))
    }
    return sendScreen(reply, jobScreen(id, job))
  })
}

/** How a kind of job is shown. */
interface JobParts {
  readonly space: string
  readonly heading: Readonly<Record<Job['status'], string>>
  /** What the counts count. */
  readonly counted: 'pages' | 'pages and files'
  /** The form to try again. */
  readonly form: string
  /** What was written, if the work failed. */
  readonly afterFailure: string
  readonly afterInterruption: string
  readonly result: () => Html
}

/** The progress of a job, and at the end its result or its error. It works without script by refreshing. */
function jobScreen(id: string, job: Job): Screen {
  const parts = PARTS[job.kind](job)
  const { space } = parts
  const heading = parts.heading[job.status]
  return {
    title: heading,
    crumbs: [{ text: space, href: browseUrl(space) }, { text: heading }],
    space,
    ...(job.status === 'running' && { islands: ['progress'], head: refresh }),
    heading,
    main: renderState(id, job, parts),
  }
}

function renderState(id: string, job: Job, { counted, form, afterFailure, afterInterruption, result }: JobParts): Html {
  const again = html`<p><a class="button" href="${form}">${t('Try again')}</a></p>`
  switch (job.status) {
    case 'running':
      return html`${progressBar(job, counted)}
${
  job.isCancelling &&
  html`<p class="notice">${t('An organisation admin has cancelled this: it ends within seconds.')}</p>`
}
<p>${t('Started {when}. You can leave this screen: the work continues, and this address shows the result for a week.', {
        when: moment(job.startedAt.toISOString()),
      })}</p>
<p><a class="button" href="${jobUrl(id)}">${t('Refresh')}</a></p>`
    case 'done':
      return job.result === null ? html`<p role="status">${t('All of it is done.')}</p>` : result()
    case 'failed':
    case 'cancelled':
      return html`<p class="notice error" role="alert">
${job.error && translateDetail(job.error.detail)} ${afterFailure}</p>${again}`
    case 'interrupted':
      return html`<p class="notice error" role="alert">
${t('The service stopped before the work was complete.')} ${afterInterruption}</p>${again}`
  }
}

function importParts(job: Job): JobParts {
  const { space, dryRun } = job.subject as ImportSubject // as the import stored it
  const nothing = t('Nothing was written.')
  const partial = t('What was imported before is kept. Import again to complete it.')
  return {
    space,
    heading: {
      running: dryRun ? t('Checking the archive') : t('Importing'),
      done: t('Import'),
      failed: t('The import failed'),
      cancelled: t('The import was cancelled'),
      interrupted: t('The import was interrupted'),
    },
    counted: 'pages and files',
    form: importUrl(space),
    afterFailure: dryRun ? nothing : partial,
    afterInterruption: dryRun ? nothing : partial,
    result: () => html`<div id="import-result">${importResult(space, job.result as ShownImport)}</div>
<p><a class="button plain" href="${importUrl(space)}">${t('Back to the import')}</a></p>`,
  }
}

function exportParts(job: Job): JobParts {
  const { space } = job.subject as ExportSubject // as the export stored it
  return {
    space,
    heading: {
      running: t('Exporting'),
      done: t('Exported'),
      failed: t('The export failed'),
      cancelled: t('The export was cancelled'),
      interrupted: t('The export was interrupted'),
    },
    counted: 'pages and files',
    form: exportUrl(space),
    afterFailure: t('The file is not complete: download it again.'),
    afterInterruption: t('The file is not complete: download it again.'),
    result() {
      const { pages, files } = job.result as ExportReport // as the export stored it
      return html`<div id="export-result"><p role="status">
${t(
  '{pages, plural, =0 {no pages} one {# page} other {# pages}} and {files, plural, ' +
    '=0 {no files} one {# file} other {# files}} were exported.',
  { pages, files },
)}</p>
<p><a class="button" href="${exportUrl(space)}">${t('Export again')}</a></p></div>`
    },
  }
}

function moveParts(job: Job): JobParts {
  const { space, path, to } = job.subject as MoveSubject // as the move stored it
  return {
    space: to.space,
    heading: {
      running: t('Moving {path}', { path }),
      done: t('Moved'),
      failed: t('The move failed'),
      cancelled: t('The move was cancelled'),
      interrupted: t('The move was interrupted'),
    },
    counted: 'pages',
    form: moveUrl(space, path),
    afterFailure: t('Nothing was changed.'),
    afterInterruption: t('All of it was moved, or nothing: look at the pages before you try again.'),
    result() {
      const { done, counts } = job.result as MoveReport // as the move stored it
      const { moved, files, rewritten, left } = counts
      return html`<p role="status">${t(
        '{moved, plural, =0 {no pages} one {# page} other {# pages}} and {files, plural, ' +
          '=0 {no files} one {# file} other {# files}} moved from {from} to {to}; ' +
          '{rewritten, plural, =0 {no pages have} one {# page has} other {# pages have}} a new version with changed ' +
          'links; {left, plural, =0 {no links stay as they are} one {# link stays as it is} other {# links stay ' +
          'as they are}}.',
        {
          moved,
          files,
          rewritten,
          left,
          from: html`<code>${space}/${path}</code>`,
          to: html`<code>${to.space}/${to.path}</code>`,
        },
      )}</p>
<p><a class="button" href="${done.url}">${t('Show the pages')}</a></p>`
    },
  }
}

const PARTS = { import: importParts, export: exportParts, move: moveParts } as const satisfies Record<
  JobKind,
  (job: Job) => JobParts
>
