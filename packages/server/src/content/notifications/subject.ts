import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import { changeRequestUrl } from '../../access/overlay.ts'
import { threadUrl } from '../../events/feed/body.ts'
import type { SubjectRow } from './store.ts'

/** The members that name what a row is about. */
export function toSubject({ space, path, number, thread_id: thread }: SubjectRow) {
  const isWholeRequest = number !== null && thread === null
  return {
    space,
    ...(path !== null && !isWholeRequest && { path }),
    ...(number !== null && { number }),
    ...(thread !== null && { thread }),
  }
}

/** The title of what a row is about: the name of a file or folder, the slug of a space. */
export function toTitle({ space, path, title }: SubjectRow): string {
  return title ?? (path === null ? space : path.slice(path.lastIndexOf('/') + 1))
}

/** The URL of a page, file, thread or change request. */
export function toSubjectUrl(origin: string, row: SubjectRow): string {
  const { space, path, number, thread_id: thread, page_id: pageId, file_id: fileId } = row
  if (thread !== null) return threadUrl(origin, thread)
  if (pageId !== null) return origin + pageUrl(space, path ?? '')
  if (fileId !== null) return origin + fileUrl(space, path ?? '')
  return changeRequestUrl(origin, space, number ?? 0)
}
