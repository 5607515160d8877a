import { operationCommand } from '../operation-command.ts'
import type { CommandSpec } from '../spec.ts'

export const scimCommands: readonly CommandSpec[] = [
  {
    name: 'scim',
    summary: 'let an identity provider keep people and groups (SCIM 2.0); organisation admins only',
    commands: [
      operationCommand('show', 'show whether SCIM is on, its URL, and when it was last used', 'scim.get', {
        examples: [['scim show']],
        members: ({ enabled, baseUrl, token, users, groups }) => ({
          state: enabled ? 'on' : 'off',
          url: baseUrl,
          token: token && `${token.hint}…`,
          lastRequest: token && (token.lastUsedAt ?? 'never'),
          people: users,
          groups,
        }),
      }),
      operationCommand('enable', 'switch SCIM on, or replace its token; prints the token once', 'scim.createToken', {
        examples: [['scim enable']],
        secret: ({ secret }) => secret,
        text: ({ provisioning: { baseUrl } }) =>
          `SCIM is on at ${baseUrl}. Copy the token into your identity provider; it is shown this once.`,
      }),
      operationCommand('disable', 'switch SCIM off; people and groups stay as they are', 'scim.endToken', {
        examples: [['scim disable']],
        plain: true,
        text: () => 'SCIM is off.',
      }),
    ],
  },
]
