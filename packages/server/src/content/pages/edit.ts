import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { BodyChange } from '@recto/markdown/edits/edit-changes.ts'
import type { Edit } from '@recto/markdown/edits/edits.ts'
import { toTag } from '../../access/overlay.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { withResultMapped } from '../../platform/database/transaction.ts'
import { checkedBody } from './body.ts'
import type { PagesCtx } from './ctx.ts'
import { findPage } from './find.ts'
import type { Page } from './page.ts'
import type { WrittenPage } from './page-write.ts'
import { readPage } from './read.ts'
import { writePage } from './write.ts'

export interface EditPage extends PageAddress {
  readonly edits: readonly Edit[]
  readonly note: string | undefined
  readonly preconditions: Preconditions
}

export interface EditedPage {
  readonly page: Page
  readonly changes: readonly BodyChange[]
}

/**
 * Applies the edits in order to the version in If-Match, all or none, as one revision. Sections follow the Markdown
 * parser. Throws `edit_not_applicable` if an edit does not apply; 412 and 428 as for a PUT.
 */
export async function editPage(ctx: PagesCtx, input: EditPage): Promise<EditedPage> {
  const { space, path, edits, note, preconditions } = input
  for (;;) {
    const target = await findPage(ctx, { space, path }, 'editor')
    checkPreconditions(target.current, preconditions)
    // A draft has no version: one that was changed since it was found is refused by its tag.
    const { content } = await readPage(ctx, { space, path, ...(!ctx.overlay && { version: target.version }) })
    const { maxBodyBytes } = ctx.config
    const { body, changes } = await ctx.pages.markdown.edit(content.body.toString('utf8'), edits, maxBodyBytes)
    try {
      const writeCtx = withResultMapped(ctx, ({ page }: WrittenPage): EditedPage => ({ page, changes }))
      const { page } = await writePage(writeCtx, {
        space,
        path,
        body: checkedBody(body, maxBodyBytes),
        note,
        preconditions: { ifMatch: [toTag(target)], ifNoneMatch: undefined, required: true },
      })
      return { page, changes }
    } catch (error) {
      // `*` means the current version, whichever it is: after a concurrent write the edits are applied to its result.
      const overtaken = error instanceof AppError && error.code === 'precondition_failed'
      if (!overtaken || preconditions.ifMatch !== '*') throw error
    }
  }
}
