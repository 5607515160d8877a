import type { Delivery } from '@recto/client/types.ts'
import { type CommandCall, EXIT, UsageError } from '../command.ts'
import { operationCommand } from '../operation-command.ts'
import type { Values } from '../operation-row.ts'
import type { CommandSpec } from '../spec.ts'
import { oneLine } from '../table.ts'

const ID = { name: 'id', summary: 'id of the webhook, as listed by `recto webhooks list`' }
const EVENT = {
  event: {
    value: 'kind',
    many: true,
    summary: 'subscribe to this kind of event, e.g. page.updated; all kinds if absent',
  },
} as const
const FORMAT = {
  format: {
    value: 'format',
    choices: ['json', 'slack', 'teams'],
    summary: 'signed JSON, or messages to a chat channel',
  },
} as const
/** How a new secret is printed. */
const SECRET = {
  secret: ({ secret }: { readonly secret: string }) => secret,
  text: ({ webhook }: { readonly webhook: { readonly id: string } }) =>
    `The secret of webhook ${webhook.id}. Copy it now; it is not shown again:`,
}

export const webhookCommands: CommandSpec = {
  name: 'webhooks',
  summary: 'manage webhooks and their deliveries; organisation admins only',
  commands: [
    operationCommand('list', 'list webhooks', 'webhooks.list', {
      examples: [['webhooks list']],
      none: 'No webhooks.',
      columns: {
        ID: 'id',
        URL: 'url…',
        EVENTS: [({ events }) => events.join(', '), true],
        SPACE: ({ spaceSlug }) => spaceSlug ?? 'all shared',
        STATE: ({ enabled, disabledReason }) => (enabled ? 'enabled' : (disabledReason ?? 'disabled')),
      },
    }),
    operationCommand('create', 'create a webhook and print its secret; it is not shown again', 'webhooks.create', {
      arguments: [{ name: 'url', summary: 'URL that deliveries are sent to' }],
      options: {
        ...EVENT,
        ...FORMAT,
        space: { value: 'slug', summary: 'limit to events of this space', names: 'space' },
        description: { value: 'text', summary: 'description' },
      },
      examples: [['webhooks create https://hooks.example.org/recto --event page.created --space docs']],
      values: ({ event = ['*'], space, ...others }) => ({ ...others, events: event, spaceSlug: space }),
      ...SECRET,
    }),
    operationCommand('show', 'show a webhook', 'webhooks.get', {
      arguments: [ID],
      examples: [['webhooks show 0196f3f0-...']],
    }),
    operationCommand('update', 'change a webhook', 'webhooks.update', {
      arguments: [ID],
      options: {
        url: { value: 'url', summary: 'URL that deliveries are sent to' },
        ...FORMAT,
        ...EVENT,
        space: { value: 'slug', summary: 'limit to events of this space; empty for all spaces', names: 'space' },
        description: { value: 'text', summary: 'description' },
        enable: { summary: 'resume deliveries' },
        disable: { summary: 'pause deliveries' },
      },
      examples: [['webhooks update 0196f3f0-... --enable']],
      values: toChange,
    }),
    operationCommand('delete', 'delete a webhook', 'webhooks.delete', {
      arguments: [ID],
      examples: [['webhooks delete 0196f3f0-...']],
      plain: true,
      text: (_, call) => `Deleted ${call.arg('id')}.`,
    }),
    operationCommand('test', 'send a test delivery and show the result', 'webhooks.test', {
      arguments: [ID],
      examples: [['webhooks test 0196f3f0-...']],
      exits: '1 if the delivery failed.',
      text: ({ delivered, delivery }) => `${delivered ? 'Delivered' : 'Not delivered'}: ${formatOutcome(delivery)}`,
      exit: ({ delivered }) => (delivered ? EXIT.done : EXIT.partial),
    }),
    operationCommand(
      'rotate',
      'replace the secret and print the new one; it is not shown again',
      'webhooks.rotateSecret',
      {
        arguments: [ID],
        options: { grace: { value: 'seconds', summary: 'how long the old secret stays valid (default one day)' } },
        examples: [['webhooks rotate 0196f3f0-... --grace 0', 'the old secret has leaked']],
        values: ({ id }, call) => ({ id, graceSeconds: call.number('grace', 0) }),
        ...SECRET,
      },
    ),
    operationCommand('deliveries', 'list deliveries, newest first', 'webhooks.deliveries.list', {
      arguments: [ID],
      options: {
        status: {
          value: 'status',
          choices: ['pending', 'succeeded', 'failed', 'blocked'],
          summary: 'limit to this status',
        },
        event: { value: 'kind', summary: 'limit to this kind of event' },
      },
      examples: [['webhooks deliveries 0196f3f0-... --status failed']],
      values: ({ event, ...others }) => ({ ...others, event: event === '*' ? undefined : event }),
      none: 'Nothing was delivered in 30 days.',
      columns: {
        ID: 'id',
        AT: 'createdAt',
        EVENT: 'event',
        STATUS: 'status',
        ATTEMPTS: ['attempts.length', 'right'],
        LAST: [formatOutcome, true],
        NEXT: 'nextAttemptAt',
      },
    }),
    operationCommand('redeliver', 'send the event of a delivery again', 'webhooks.deliveries.redeliver', {
      arguments: [ID, { name: 'delivery', summary: 'id of the delivery' }],
      examples: [['webhooks redeliver 0196f3f0-... 0196f3f1-...']],
      text: ({ id }) => `It is sent again, as ${id}.`,
    }),
  ],
}

/** An empty space or description removes it. */
function toChange({ id, url, format, event, space, description }: Values, call: CommandCall): Values {
  const [enable, disable] = [call.flag('enable'), call.flag('disable')]
  if (enable && disable) throw new UsageError('--enable cannot be combined with --disable')
  return {
    id,
    url,
    format,
    events: event,
    spaceSlug: space === '' ? null : space,
    description: description === '' ? null : description,
    enabled: enable || (disable ? false : undefined),
  }
}

/** Result of the last attempt. */
function formatOutcome({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  if (!last) return 'no attempt yet'
  return oneLine(last.error ?? `${last.responseStatus ?? '-'} after ${last.durationMs} ms`)
}
