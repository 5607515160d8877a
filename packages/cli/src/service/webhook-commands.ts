import { type CommandSpec, JSON_OPTION, LIST_OPTIONS } from '../spec.ts'

const ID = { name: 'id', summary: 'id of the webhook, as listed by `recto webhooks list`' }
const EVENT = {
  event: {
    value: 'kind',
    many: true,
    summary: 'subscribe to this kind of event, e.g. page.updated; all kinds if absent',
  },
} as const
const load = () => import('./webhooks.ts')

/** Commands for webhooks. */
export const webhookCommands: CommandSpec = {
  name: 'webhooks',
  summary: 'manage webhooks and their deliveries; organisation admins only',
  commands: [
    {
      name: 'list',
      summary: 'list webhooks',
      options: LIST_OPTIONS,
      examples: [['webhooks list', '']],
      run: async (call) => (await load()).listWebhooksCommand(call),
    },
    {
      name: 'create',
      summary: 'create a webhook and print its secret; it is not shown again',
      arguments: [{ name: 'url', summary: 'URL that deliveries are sent to' }],
      options: {
        ...EVENT,
        space: { value: 'slug', summary: 'limit to events of this space', names: 'space' },
        description: { value: 'text', summary: 'description' },
        ...JSON_OPTION,
      },
      examples: [['webhooks create https://hooks.example.org/recto --event page.created --space docs', '']],
      run: async (call) => (await load()).createWebhookCommand(call),
    },
    {
      name: 'show',
      summary: 'show a webhook',
      arguments: [ID],
      options: JSON_OPTION,
      examples: [['webhooks show 0196f3f0-...', '']],
      run: async (call) => (await load()).showWebhookCommand(call),
    },
    {
      name: 'update',
      summary: 'change a webhook',
      arguments: [ID],
      options: {
        url: { value: 'url', summary: 'URL that deliveries are sent to' },
        ...EVENT,
        space: {
          value: 'slug',
          summary: 'limit to events of this space; empty for all spaces',
          names: 'space',
        },
        description: { value: 'text', summary: 'description' },
        enable: { summary: 'resume deliveries' },
        disable: { summary: 'pause deliveries' },
        ...JSON_OPTION,
      },
      examples: [['webhooks update 0196f3f0-... --enable', '']],
      run: async (call) => (await load()).updateWebhookCommand(call),
    },
    {
      name: 'delete',
      summary: 'delete a webhook',
      arguments: [ID],
      examples: [['webhooks delete 0196f3f0-...', '']],
      run: async (call) => (await load()).deleteWebhookCommand(call),
    },
    {
      name: 'test',
      summary: 'send a test delivery and show the result',
      arguments: [ID],
      options: JSON_OPTION,
      examples: [['webhooks test 0196f3f0-...', '']],
      exits: '1 if the delivery failed.',
      run: async (call) => (await load()).testWebhookCommand(call),
    },
    {
      name: 'rotate',
      summary: 'replace the secret and print the new one; it is not shown again',
      arguments: [ID],
      options: {
        grace: { value: 'seconds', summary: 'how long the old secret stays valid (default one day)' },
        ...JSON_OPTION,
      },
      examples: [['webhooks rotate 0196f3f0-... --grace 0', 'the old secret has leaked']],
      run: async (call) => (await load()).rotateWebhookCommand(call),
    },
    {
      name: 'deliveries',
      summary: 'list deliveries, newest first',
      arguments: [ID],
      options: {
        status: {
          value: 'status',
          choices: ['pending', 'succeeded', 'failed', 'blocked'],
          summary: 'limit to this status',
        },
        event: { value: 'kind', summary: 'limit to this kind of event' },
        ...LIST_OPTIONS,
      },
      examples: [['webhooks deliveries 0196f3f0-... --status failed', '']],
      run: async (call) => (await load()).deliveriesCommand(call),
    },
    {
      name: 'redeliver',
      summary: 'send the event of a delivery again',
      arguments: [ID, { name: 'delivery', summary: 'id of the delivery' }],
      options: JSON_OPTION,
      examples: [['webhooks redeliver 0196f3f0-... 0196f3f1-...', '']],
      run: async (call) => (await load()).redeliverCommand(call),
    },
  ],
}
