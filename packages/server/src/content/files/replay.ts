import type { FastifyRequest } from 'fastify'
import { replayWithRole, requireRoleStill } from '../../access/replay-authorization.ts'
import type { File } from './file.ts'

/** A replayed response needs the editor role in the space, and access to every space that it names. */
export async function replayOfFiles(request: FastifyRequest, storedBody: Buffer | undefined): Promise<void> {
  await replayWithRole('editor')(request, storedBody)
  if (!storedBody) return
  const body: File | { readonly files: readonly File[] } = JSON.parse(storedBody.toString())
  const files = 'files' in body ? body.files : [body]
  const usingSpaces = new Set(files.flatMap(({ usedBy }) => usedBy.map(({ space }) => space)))
  for (const space of usingSpaces) await requireRoleStill(request.ctx, space, 'viewer')
}
