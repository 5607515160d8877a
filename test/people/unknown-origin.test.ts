import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { assertStatus } from '../support/client.ts'
import { startLocalService } from '../support/local-service.ts'
import { startMailServer } from '../support/mail-server.ts'

test('a service on every address of the machine, without SVC_PUBLIC_URL, warns at start and sends no link by mail', async () => {
  await using mail = await startMailServer()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const settings = { SVC_SMTP_URL: mail.url, SVC_MAIL_FROM: 'Recto <recto@example.org>' }
  const invite = async (env: Readonly<Record<string, string>>) => {
    await using service = await startLocalService({ ...settings, ...env }, {}, log)
    const invitation = { email: 'gil@example.org' }
    return assertStatus(await service.admin.post('/admin/invitations', invitation), 201).json
  }
  const warnings = () => lines.filter((line) => line.includes('SVC_PUBLIC_URL is not set')).length
  const everywhere = await invite({ SVC_HOST: '0.0.0.0' })
  assert.equal(everywhere.mailed, false)
  assert.match(everywhere.url, /\/invitation\/inv_/)
  assert.deepEqual([mail.mails.length, warnings()], [0, 1])
  const named = await invite({ SVC_HOST: '0.0.0.0', SVC_PUBLIC_URL: 'https://wiki.example' })
  assert.equal(named.mailed, true)
  assert.deepEqual([mail.mails.length, warnings()], [1, 1])
})
