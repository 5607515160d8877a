import { pageHistory } from '../../pages/revisions.ts'
import { addressOf } from '../address.ts'
import { argumentsOf, listArguments, listText, pageArguments } from '../arguments.ts'
import { fittingPage } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const getPageHistory = defineTool({
  name: 'context_get_page_history',
  title: 'Revisions of a page',
  description: 'Lists revisions, newest first.',
  scope: 'read',
  input: argumentsOf({ ...pageArguments, ...listArguments }),
  async run(ctx, { limit = 50, cursor, ...page }) {
    const query = { ...addressOf(page, ctx.config.publicUrl), ...(cursor !== undefined && { cursor }) }
    const { items, nextCursor } = await fittingPage(limit, (wanted) =>
      pageHistory(ctx, { ...query, limit: wanted }),
    )
    const lines = items.map(
      ({ version, createdAt, createdBy, note, restoredFrom, size }) =>
        `version ${version}, ${createdAt}, ${createdBy.name}, ${size} bytes${restoredFrom === null ? '' : `, restored from version ${restoredFrom}`}${note === null ? '' : `: ${note}`}`,
    )
    return { data: { items, nextCursor }, text: [listText(lines, nextCursor)] }
  },
})
