import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from '../config.ts'

const load = (url: string) => loadConfig({ SVC_FILES_S3_URL: url }).filesS3

test('the address of a bucket names its endpoint, region, prefix and key', () => {
  assert.equal(loadConfig({}).filesS3, undefined)
  assert.deepEqual(load('https://id:a%2Fb@s3.example:9000/files/some/where?region=eu-west-3'), {
    endpoint: 'https://s3.example:9000',
    region: 'eu-west-3',
    bucket: 'files',
    prefix: 'some/where/',
    credentials: { accessKeyId: 'id', secretAccessKey: 'a/b' },
    takesUploads: true,
  })
  const bare = load('http://s3.example/files?uploads=database')
  assert.deepEqual(
    [bare?.prefix, bare?.region, bare?.credentials, bare?.takesUploads],
    ['', 'us-east-1', undefined, false],
  )
})

test('a wrong address of a bucket is a problem of the configuration that does not repeat the secret', () => {
  for (const url of [
    'files',
    'ftp://s3.example/files',
    'https://s3.example',
    'https://s3.example/B',
    'https://s3.example/files?bucket=x',
    'https://s3.example/files?uploads=no',
    'https://only-an-id@s3.example/files',
    'https://id:%zzhunter2@s3.example/files',
  ]) {
    assert.throws(
      () => load(url),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
      url,
    )
  }
})
