import type { Ctx } from '../../../access/ctx.ts'
import { requireSpace } from '../../../access/space.ts'
import { toVerification } from '../../../access/verification.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { type PageQuery, parseWindow } from '../../../platform/http/paging.ts'
import { scannedPage } from '../../links/reports.ts'
import { lastScannedPath } from '../../links/store-reports.ts'
import type { ReportedStatus, VerificationReport } from './schema.ts'
import { countByStatus, listByStatus } from './store-verification.ts'

/** The pages of a space whose verification has a status, or that agents alone wrote, as far as the caller can read. */
export async function verificationReport(
  ctx: Ctx,
  input: PageQuery & { readonly space: string; readonly status: ReportedStatus },
): Promise<VerificationReport> {
  const { status } = input
  const space = await requireSpace(ctx, input.space, 'viewer')
  const window = parseWindow(ctx, `verification/${status}/${space.id}/${ctx.actor.id}`, input, ['text'])
  const after = window.after === undefined ? undefined : String(window.after[0])
  const subject = toAccessSubject(ctx.actor)
  const now = ctx.now()
  const scan = { spaceId: space.id, status, after, limit: window.limit + 1, now }
  const [rows, counts] = await Promise.all([
    listByStatus(ctx.db, subject, scan),
    after === undefined ? countByStatus(ctx.db, subject, scan) : undefined,
  ])
  const list = await scannedPage(
    window,
    rows,
    ['path'],
    (row) => ({
      path: row.path,
      title: row.title,
      version: row.version,
      updatedAt: row.updated_at.toISOString(),
      updatedBy: row.editor,
      verification: toVerification(row, row.version, now),
    }),
    async () => {
      if (status !== 'none' && status !== 'agents') return undefined
      const last = await lastScannedPath(ctx.db, subject, scan)
      return last === undefined ? undefined : [last]
    },
  )
  return { ...list, ...(counts && { counts }) }
}
