import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { requestLanguage } from './language.ts'

test('an account whose language this release lacks has that of the browser, else that of the service', () => {
  for (const [own, accepted, language] of [
    ['de', 'en', 'de'],
    ['fr', 'de', 'de'],
    ['fr', 'fr', 'en'],
    [undefined, undefined, 'en'],
  ]) {
    const request = { headers: { 'accept-language': accepted }, ctx: { actor: { language: own } } }
    assert.equal(requestLanguage(request as unknown as FastifyRequest, { language: 'en' }), language)
  }
})
