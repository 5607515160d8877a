import type { FastifyRequest } from 'fastify'
import { replayWithRole, requireRoleAtStill } from '../../access/replay-authorization.ts'
import type { File } from './file.ts'

/** A replayed response needs the editor role in the space, and at its files, and access to every page that it names. */
export async function replayOfFiles(request: FastifyRequest, storedBody: Buffer | undefined): Promise<void> {
  await replayWithRole('editor')(request, storedBody)
  if (!storedBody) return
  const body: File | { readonly files: readonly File[] } = JSON.parse(storedBody.toString())
  const files = 'files' in body ? body.files : [body]
  const { space } = request.params as { space: string } // of the URL
  const addresses = files.map(({ path }) => ({ space, path }))
  await requireRoleAtStill(request.ctx, addresses, request.ctx.overlay ? 'viewer' : 'editor')
  const usedBy = files.flatMap((file) => file.usedBy)
  await requireRoleAtStill(request.ctx, usedBy, 'viewer')
}
