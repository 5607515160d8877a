import { pageHistory } from '../../pages/revisions.ts'
import { argumentsOf, listArguments, listText, pageAddressOf, pageArguments } from '../arguments.ts'
import { fittingPage } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const getPageHistory = defineTool({
  name: 'context_get_page_history',
  title: 'Revisions of a page',
  description:
    'Lists the revisions of a page, newest first, with author, time and note. Read one with context_get_page and its `version`.',
  scope: 'read',
  input: argumentsOf({ ...pageArguments, ...listArguments }),
  async run(ctx, { limit = 50, cursor, ...page }) {
    const query = { ...pageAddressOf(page), ...(cursor !== undefined && { cursor }) }
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
