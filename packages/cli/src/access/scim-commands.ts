import { type CommandSpec, JSON_OPTION } from '../spec.ts'

const scim = () => import('./scim.ts')

/** Commands for SCIM. */
export const scimCommands: readonly CommandSpec[] = [
  {
    name: 'scim',
    summary: 'let an identity provider keep people and groups (SCIM 2.0); organisation admins only',
    commands: [
      {
        name: 'show',
        summary: 'show whether SCIM is on, its URL, and when it was last used',
        options: JSON_OPTION,
        examples: [['scim show', '']],
        run: async (call) => (await scim()).showScimCommand(call),
      },
      {
        name: 'enable',
        summary: 'switch SCIM on, or replace its token; prints the token once',
        options: JSON_OPTION,
        examples: [['scim enable', '']],
        run: async (call) => (await scim()).enableScimCommand(call),
      },
      {
        name: 'disable',
        summary: 'switch SCIM off; people and groups stay as they are',
        examples: [['scim disable', '']],
        run: async (call) => (await scim()).disableScimCommand(call),
      },
    ],
  },
]
