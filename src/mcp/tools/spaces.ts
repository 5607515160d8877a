import { Type } from 'typebox'
import { meSchema, whoAmI } from '../../access/routes.ts'
import { listOf } from '../../http/paging.ts'
import { spacesOf } from '../../spaces/space.ts'
import { argumentsOf, listArguments, more } from '../arguments.ts'
import { fittingPage, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const whoami = defineTool({
  name: 'context_whoami',
  title: 'Who you are',
  description:
    'Tells which principal your API key speaks for, and what the key allows: `read`, `write` (change pages and metadata) or `admin`.',
  scope: 'read',
  input: argumentsOf({}),
  output: meSchema,
  async run(ctx) {
    const me = whoAmI(ctx)
    return {
      data: me,
      text: [
        `${me.name} (${me.kind}, ${me.role} of the organisation). The key allows: ${me.scopes.join(', ')}.`,
      ],
    }
  },
})

const spaceItem = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  kind: Type.Union([Type.Literal('shared'), Type.Literal('personal')]),
  role: Type.Union([Type.Literal('viewer'), Type.Literal('editor'), Type.Literal('admin')], {
    description: 'What you may do there: a viewer reads, an editor writes.',
  }),
})

export const listSpaces = defineTool({
  name: 'context_list_spaces',
  title: 'List spaces',
  description:
    'Lists the spaces that you can read, with your role in each. Pages live in spaces: every other tool names a space by its slug. Start here when you do not know where to look.',
  scope: 'read',
  input: argumentsOf(listArguments),
  output: listOf(spaceItem),
  async run(ctx, { limit = 50, cursor }) {
    const { items, nextCursor } = await fittingPage(limit, async (wanted) => {
      const list = await spacesOf(ctx, { limit: wanted, ...(cursor !== undefined && { cursor }) })
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
    const lines = items.map(
      ({ slug, name, role, description }) =>
        `${slug} (${role}): ${name}${description && ` - ${description}`}`,
    )
    return { data: { items, nextCursor }, text: [[...lines, more(nextCursor)].join('\n')] }
  },
})
