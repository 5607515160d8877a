import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { whoAmI } from '../../../identity/principals/routes.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { listArguments, listResult } from '../arguments.ts'
import { fittingPage, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const whoami = defineTool({
  name: 'context_whoami',
  title: 'Authenticated principal',
  description: 'Your principal, and the scopes of your key.',
  scope: 'read',
  input: strictObject({}),
  async run(ctx) {
    const me = whoAmI(ctx)
    return {
      data: me,
      text: [`${me.name} (${me.kind}, ${me.role} of the organisation). Scopes of the key: ${me.scopes.join(', ')}.`],
    }
  },
})

export const listSpaces = defineTool({
  name: 'context_list_spaces',
  title: 'List spaces',
  description: 'Lists the spaces that you can read, with your role.',
  scope: 'read',
  visitors: ['limit', 'cursor'],
  input: strictObject(listArguments),
  async run(ctx, input) {
    const spaces = await fittingPage(input, async (paging) => {
      const list = await listVisibleSpaces(ctx, paging)
      return {
        ...list,
        items: list.items.map(({ slug, name, description, kind, role }) => ({
          slug,
          name,
          description: truncate(description, 500),
          kind,
          role,
        })),
      }
    })
    return listResult(
      spaces,
      ({ slug, name, role, description }) => `${slug} (${role}): ${name}${description && ` - ${description}`}`,
    )
  },
})
