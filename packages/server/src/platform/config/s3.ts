import { Problem } from './parse.ts'

const EXAMPLE = 'https://key:secret@s3.eu-central-1.amazonaws.com/bucket/prefix?region=eu-central-1'
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** A bucket of an S3-compatible store. */
export type S3Config = Exclude<ReturnType<typeof s3Config>, Problem>

/** The bucket of an address such as `https://key:secret@host/bucket/prefix?region=...`. */
export function s3Config(text: string) {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.hash !== '') {
    return new Problem(`must be an address such as ${EXAMPLE}`)
  }
  const [bucket = '', ...prefix] = url.pathname.slice(1).split('/').filter(Boolean)
  if (!BUCKET.test(bucket)) return new Problem(`must name a bucket, as in ${EXAMPLE}`)
  const unknownParameter = [...url.searchParams.keys()].find((name) => name !== 'region' && name !== 'uploads')
  if (unknownParameter !== undefined) return new Problem('knows no parameters but region and uploads')
  const uploads = url.searchParams.get('uploads') ?? 's3'
  if (uploads !== 's3' && uploads !== 'database') return new Problem('uploads must be s3 or database')
  if ((url.username === '') !== (url.password === '')) return new Problem('needs both a key and its secret')
  const credentials = parseCredentials(url)
  if (credentials instanceof Problem) return credentials
  return {
    endpoint: url.origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket,
    /** What the names of objects begin with; empty, or with a slash at the end. */
    prefix: prefix.map((segment) => `${segment}/`).join(''),
    /** Absent: those of the environment, as the SDK of AWS finds them. */
    credentials,
    /** Whether new files are stored in the bucket; false: only those that are there are read. */
    takesUploads: uploads === 's3',
  }
}

function parseCredentials({ username, password }: URL) {
  if (username === '') return undefined
  try {
    return { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) }
  } catch {
    return new Problem('has a key with a `%` that encodes no character: write `%25` for it')
  }
}
