import { AppError, inputError, retryLater } from '@recto/contract/errors.ts'
import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { requireUnlimitedPerson } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { countUses } from '../../../access/limits/store-rate-lease.ts'
import { recordAuditEntry } from '../../../identity/principals/audit.ts'
import { requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../../platform/http/paging.ts'
import { msg } from '../../../platform/language/t.ts'
import { putRole } from '../members.ts'
import { grantFolder } from '../rules/grant-folder.ts'
import { findAccess } from '../rules/store-readers.ts'
import { changeWithin, requireRow, toTarget } from '../space.ts'
import type { SpaceRow } from '../store.ts'
import type { AccessRequest, Approval, Ask } from './schema.ts'
import { deleteRequest, findRequest, insertRequest, listRequests, type RequestRow } from './store-requests.ts'

const HOUR_MS = 3600_000
const MAX_ASKED = 20

/** The answer to every request for access: it does not tell whether there is anything. */
export const ASKED = msg(
  'If it exists, the admins of its space can see your request. You have access once they approve it.',
)

interface RequestAddress {
  readonly space: string
  readonly id: string
}

/** Asks the admins of a space for access; does and answers the same whether or not there is such a page. */
export async function askForAccess(ctx: Ctx, { space, path, note = '' }: Ask): Promise<void> {
  requireUnlimitedPerson(ctx, 'Asking for access')
  const now = ctx.now()
  const request = {
    id: uuid7(),
    slug: parseSlug(space),
    path: path === undefined ? '' : parsePagePath(path),
    note,
    now,
  }
  await inTransaction(ctx, async (tx) => {
    const [usage] = await countUses(tx, [`access-requests/${ctx.actor.id}`], HOUR_MS)
    if (usage && usage.used > MAX_ASKED) {
      const detail = `A person may ask for access ${MAX_ASKED} times an hour: wait.`
      throw retryLater('too_many_requests', detail, Math.max(1, Math.ceil((HOUR_MS - usage.ageMs) / 1000)))
    }
    await insertRequest(tx, ctx.actor, request)
  })
}

/** The open requests for access to a space, the oldest first. For its admins. */
export async function listAccessRequests(
  ctx: Ctx,
  input: PageQuery & { readonly space: string },
): Promise<List<AccessRequest>> {
  const space = await requireRow(ctx, input.space, 'admin')
  const window = parseWindow(ctx, `access-requests/${space.id}`, input, ['id'])
  const rows = await listRequests(ctx.db, { spaceId: space.id, now: ctx.now(), ...toKeyset(window) })
  return buildPage(window, rows, ['id'], toAccessRequest)
}

/** Gives who asked a role in the space, or access to a folder; this must let them read what they asked for. */
export async function approveRequest(ctx: Ctx, address: RequestAddress, { role, folder }: Approval): Promise<void> {
  await decide(ctx, address, 'approved', async (tx, space, { principal, guest, path }) => {
    await requireConfirmation(tx)
    if (folder === undefined) await putRole(tx, space, { kind: 'principal', id: principal.id, role })
    else await grantFolder(tx, toTarget(space), { folder, principalId: principal.id, guest, role })
    const access = await findAccess(tx.db, { principalId: principal.id, spaceId: space.id, path })
    if (access && access.rank > 0) return { role, ...(folder !== undefined && { folder }) }
    const detail = access?.prefix
      ? `This would not let them read \`${path}\`: the rule of the folder \`${access.prefix}\` decides there.`
      : 'This would not let them read what they asked for: they need a role in the space.'
    throw inputError('invalid_request', detail, '/folder', 'does not give access')
  })
}

/** Ends a request. Who asked is not told. */
export async function declineRequest(ctx: Ctx, address: RequestAddress): Promise<void> {
  await decide(ctx, address, 'declined', async () => ({}))
}

async function decide(
  ctx: Ctx,
  { space: slug, id }: RequestAddress,
  decision: 'approved' | 'declined',
  act: (tx: Ctx & Tx, space: SpaceRow, request: RequestRow) => Promise<object>,
): Promise<void> {
  await changeWithin(ctx, slug, async (tx, space) => {
    const request = isUuid(id) ? await findRequest(tx.db, id, { spaceId: space.id, now: tx.now() }) : undefined
    if (!request && tx.commitOutcomeUnknown) return id
    if (!request) throw new AppError('not_found', 'There is no open request for access with this id.')
    const { principal, path } = request
    const outcome = await act(tx, space, request)
    await deleteRequest(tx, id)
    const details = { principal, ...(path !== '' && { path }), ...outcome }
    await recordAuditEntry(tx, { action: `space.access_${decision}`, target: toTarget(space), details })
    return id
  })
}

function toAccessRequest({ id, principal, guest, path, prefix, note, created_at }: RequestRow): AccessRequest {
  return { id, principal, guest, path: path || null, folder: prefix, note, createdAt: created_at.toISOString() }
}
