import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OidcConfig } from '../../platform/config/oidc.ts'
import { loadConfig } from '../../platform/config.ts'
import { givesRole, nameFrom, roleFrom } from './oidc-roles.ts'

function configured(env: Record<string, string> = {}): OidcConfig {
  const { oidc } = loadConfig({ SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'recto', ...env })
  assert.ok(oidc)
  return oidc
}

test('without a role claim a new person becomes a member, and keeps a role that was changed later', () => {
  const config = configured()
  assert.equal(roleFrom({ sub: '1', groups: ['admins'] }, config), 'member')
  assert.equal(givesRole({ sub: '1' }, config), false)
})

test('the highest of the mapped roles counts, and without `*` a person may have no role', () => {
  const config = configured({ SVC_OIDC_ROLE_CLAIM: 'groups', SVC_OIDC_ROLES: 'wiki admins = admin, staff=member' })
  assert.equal(roleFrom({ groups: ['staff', 'wiki admins'] }, config), 'admin')
  assert.equal(roleFrom({ groups: 'staff' }, config), 'member')
  assert.equal(roleFrom({ groups: ['guests'] }, config), undefined)
  assert.equal(roleFrom({ groups: [1, null] }, config), undefined)
  assert.equal(roleFrom({}, config), undefined)
  assert.equal(givesRole({}, config), true)
})

test('a claim is found by its full name, and by a path of names', () => {
  const nested = configured({ SVC_OIDC_ROLE_CLAIM: 'realm_access.roles', SVC_OIDC_ROLES: 'boss=admin,*=member' })
  assert.equal(roleFrom({ realm_access: { roles: ['boss'] } }, nested), 'admin')
  assert.equal(roleFrom({ 'realm_access.roles': ['boss'] }, nested), 'admin')
  assert.equal(roleFrom({ realm_access: null }, nested), 'member')
  const inherited = configured({ SVC_OIDC_ROLE_CLAIM: 'constructor.name', SVC_OIDC_ROLES: 'Object=admin,*=member' })
  assert.equal(roleFrom({}, inherited), 'member')
})

test('the first admin is recognised by a verified e-mail address only', () => {
  const config = configured({ SVC_OIDC_ADMIN_EMAIL: 'Ada@example.org' })
  assert.equal(roleFrom({ email: 'ada@example.ORG', email_verified: true }, config), 'admin')
  assert.equal(roleFrom({ email: 'ada@example.org', email_verified: 'true' }, config), 'member')
  assert.equal(roleFrom({ email: 'ada@example.org' }, config), 'member')
  assert.equal(roleFrom({ email: 'eve@example.org', email_verified: true }, config), 'member')
})

test('the name of a person is the first claim that contains one', () => {
  assert.equal(nameFrom({ name: ' Ada ', email: 'a@b.c', sub: '1' }), 'Ada')
  assert.equal(nameFrom({ name: '  ', preferred_username: 'ada', sub: '1' }), 'ada')
  assert.equal(nameFrom({ sub: '1' }), '1')
})

test('a provider needs an issuer and a client, and the issuer is an https URL', () => {
  for (const env of [
    { SVC_OIDC_ISSUER: 'https://id.example' },
    { SVC_OIDC_CLIENT_ID: 'recto' },
    { SVC_OIDC_CLIENT_SECRET: 'hunter2' },
    { SVC_OIDC_ISSUER: 'http://id.example', SVC_OIDC_CLIENT_ID: 'recto' },
  ]) {
    assert.throws(
      () => loadConfig(env),
      (error) => error instanceof Error && !/hunter2/.test(error.message),
    )
  }
  assert.throws(() => configured({ SVC_OIDC_ROLES: 'admins=root' }), /SVC_OIDC_ROLES/)
  assert.throws(() => configured({ SVC_OIDC_SCOPE: 'email' }), /SVC_OIDC_SCOPE/)
})
