import type { FastifyRequest } from 'fastify'
import { replayWithRole, requireRoleStill } from '../../access/replay-authorization.ts'
import type { File } from './file.ts'

/** A replayed response needs the editor role in the space, and access to every space that it names. */
export async function replayOfFiles(request: FastifyRequest, stored: Buffer | undefined): Promise<void> {
  await replayWithRole('editor')(request, stored)
  if (!stored) return
  const body: File | { readonly files: readonly File[] } = JSON.parse(stored.toString())
  const files = 'files' in body ? body.files : [body]
  const named = new Set(files.flatMap(({ usedBy }) => usedBy.map(({ space }) => space)))
  for (const space of named) await requireRoleStill(request.ctx, space, 'viewer')
}
