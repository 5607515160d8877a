import { actorText } from '@recto/contract/actor-text.ts'
import { pageHistory } from '../../../content/pages/revisions.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { resolveAddress } from '../address.ts'
import { listArguments, listResult, pageArguments } from '../arguments.ts'
import { fittingPage } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const getPageHistory = defineTool({
  name: 'context_get_page_history',
  title: 'Revisions of a page',
  description: 'Lists revisions, newest first.',
  scope: 'read',
  input: strictObject({ ...pageArguments, ...listArguments }),
  async run(ctx, { limit, cursor, ...page }) {
    const address = await resolveAddress(ctx, page, 'read')
    return listResult(
      await fittingPage({ limit, cursor }, (paging) => pageHistory(ctx, { ...address, ...paging })),
      ({ version, createdAt, createdBy, note, restoredFrom, size }) =>
        `version ${version}, ${createdAt}, ${actorText(createdBy)}, ` +
        `${size} bytes${restoredFrom === null ? '' : `, restored from version ${restoredFrom}`}` +
        (note === null ? '' : `: ${note}`),
    )
  },
})
