import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { withIcon } from '@recto/markdown/icon-edit.ts'
import { requireRank } from '../../access/caller.ts'
import { checkedIcon } from '../spaces/icon.ts'
import type { PagesCtx } from './ctx.ts'
import { readPage } from './read.ts'
import { writeUnlessOvertaken } from './write.ts'

/** Sets the icon of a page in its front matter, as one revision; an empty one removes it. For editors. */
export async function setIcon(
  ctx: PagesCtx,
  { icon: given, ...address }: PageAddress & { icon: string },
): Promise<void> {
  const icon = checkedIcon(given.trim() === '' ? null : given)
  for (;;) {
    const { row, version, content } = await readPage(ctx, address)
    requireRank(row, address.space, 'editor')
    const before = content.body.toString('utf8')
    const body = withIcon(before, icon ?? undefined)
    if (body === undefined)
      throw new AppError(
        'invalid_request',
        'The front matter of this page cannot be changed here. Edit the page, and write a line `icon:` there.',
      )
    if (body === before) return
    if (await writeUnlessOvertaken(ctx, { ...address, body: Buffer.from(body), version })) return
  }
}
