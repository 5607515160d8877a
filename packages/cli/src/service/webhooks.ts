import type { Delivery, NewWebhook, WebhookWithSecret } from '../../../client/src/types.ts'
import { given } from '../../../lib/src/given.ts'
import { requireChange } from '../access/keys.ts'
import type { CommandCall } from '../call.ts'
import { EXIT, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printList, printObject, printResult, printSecret, shown } from '../print.ts'
import { oneLine, timeText } from '../table.ts'

/** `recto webhooks list` */
export async function listWebhooksCommand(call: CommandCall): Promise<void> {
  await printList(call, openClient(call.terminal).webhooks.list(), 'No webhooks.', [
    { title: 'ID', of: ({ id }) => id },
    { title: 'URL', of: ({ url }) => url, cut: true },
    { title: 'EVENTS', of: ({ events }) => events.join(', '), cut: true },
    { title: 'SPACE', of: ({ spaceSlug }) => spaceSlug ?? 'all shared' },
    {
      title: 'STATE',
      of: ({ enabled, disabledReason }) => (enabled ? 'enabled' : (disabledReason ?? 'disabled')),
    },
  ])
}

/** `recto webhooks create` */
export async function createWebhookCommand(call: CommandCall): Promise<void> {
  const made = await openClient(call.terminal).webhooks.create({
    url: call.arg('url'),
    events: events(call) ?? ['*'],
    ...given({ spaceSlug: call.option('space'), description: call.option('description') }),
  })
  printNewSecret(call, made)
}

/** `recto webhooks show` */
export async function showWebhookCommand(call: CommandCall): Promise<void> {
  printObject(call, await openClient(call.terminal).webhooks.get(call.arg('id')))
}

/** `recto webhooks update` */
export async function updateWebhookCommand(call: CommandCall): Promise<void> {
  if (call.flag('enable') && call.flag('disable'))
    throw new UsageError('--enable cannot be combined with --disable')
  const [space, description] = [call.option('space'), call.option('description')]
  const change = given({
    url: call.option('url'),
    events: events(call),
    spaceSlug: space === '' ? null : space,
    description: description === '' ? null : description,
    enabled: call.flag('enable') || (call.flag('disable') ? false : undefined),
  })
  requireChange(change)
  printObject(call, await openClient(call.terminal).webhooks.update(call.arg('id'), change))
}

/** `recto webhooks delete` */
export async function deleteWebhookCommand(call: CommandCall): Promise<void> {
  await openClient(call.terminal).webhooks.delete(call.arg('id'))
  call.terminal.out(`Deleted ${call.arg('id')}.\n`)
}

/** `recto webhooks test` */
export async function testWebhookCommand(call: CommandCall): Promise<number> {
  const result = await openClient(call.terminal).webhooks.test(call.arg('id'))
  printResult(
    call,
    result,
    `${result.delivered ? 'Delivered' : 'Not delivered'}: ${outcome(result.delivery)}`,
  )
  return result.delivered ? EXIT.done : EXIT.partial
}

/** `recto webhooks rotate` */
export async function rotateWebhookCommand(call: CommandCall): Promise<void> {
  const graceSeconds = call.number('grace', 0)
  printNewSecret(
    call,
    await openClient(call.terminal).webhooks.rotateSecret(call.arg('id'), { graceSeconds }),
  )
}

/** `recto webhooks deliveries` */
export async function deliveriesCommand(call: CommandCall): Promise<void> {
  const status = call.option('status') as Delivery['status'] | undefined // one of the choices
  const event = call.option('event') as NewWebhook['events'][number] | undefined // validated by the service
  const filter = given({ status, event: event === '*' ? undefined : event })
  const list = openClient(call.terminal).webhooks.deliveries.list(call.arg('id'), filter)
  await printList(call, list, 'Nothing was delivered in 30 days.', [
    { title: 'ID', of: ({ id }) => id },
    { title: 'AT', of: ({ createdAt }) => timeText(createdAt) },
    { title: 'EVENT', of: ({ event }) => event },
    { title: 'STATUS', of: ({ status }) => status },
    { title: 'ATTEMPTS', of: ({ attempts }) => attempts.length, right: true },
    { title: 'LAST', of: outcome, cut: true },
    { title: 'NEXT', of: ({ nextAttemptAt }) => timeText(nextAttemptAt) },
  ])
}

/** `recto webhooks redeliver` */
export async function redeliverCommand(call: CommandCall): Promise<void> {
  const delivery = await openClient(call.terminal).webhooks.deliveries.redeliver(
    call.arg('id'),
    call.arg('delivery'),
  )
  printResult(call, delivery, `It is sent again, as ${delivery.id}.`)
}

function events(call: CommandCall): NewWebhook['events'] | undefined {
  const kinds = call.list('event')
  // The service validates the kinds.
  return kinds.length === 0 ? undefined : (kinds as NewWebhook['events'])
}

/** Result of the last attempt. */
function outcome({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  if (!last) return 'no attempt yet'
  return oneLine(last.error ?? `${shown(last.responseStatus)} after ${last.durationMs} ms`)
}

function printNewSecret(call: CommandCall, made: WebhookWithSecret): void {
  const text = `The secret of webhook ${made.webhook.id}. Copy it now; it is not shown again:`
  printSecret(call, made, made.secret, text)
}
