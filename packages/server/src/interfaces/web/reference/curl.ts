import type { Place } from './document.ts'

/** The example of an operation as a curl command; `$KEY` is the API key. */
export function formatCurl({ method, url, operation }: Place, publicUrl: string): string {
  const { parameters = [], requestBody, security = [] } = operation
  const examples = parameters.filter(({ example }) => example !== undefined)
  const of = (place: string) => examples.filter((each) => each.in === place)
  const path = url.replace(/:(\w+)/g, (whole, name) => {
    const parameter = of('path').find((each) => each.name === name)
    return parameter ? encodeURIComponent(String(parameter.example)) : whole
  })
  const query = new URLSearchParams(of('query').map(({ name, example }) => [name, String(example)]))
  const { example: sentExample } = requestBody?.content?.['application/json'] ?? {}
  const lines = [
    method === 'GET' ? 'curl' : `curl -X ${method}`,
    ...(security.length > 0 ? [`-H "Authorization: Bearer $KEY"`] : []),
    ...of('header').map(({ name, example }) => `-H ${quoted(`${name}: ${example}`)}`),
    ...(sentExample === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(sentExample))}`]),
    quoted(`${publicUrl}${path}${query.size === 0 ? '' : `?${query}`}`),
  ]
  return lines.join(' \\\n  ')
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
