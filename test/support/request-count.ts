import { assertStatus } from './client.ts'
import type { Service } from './service.ts'

/** How many requests the service has answered. */
export async function requestCount(service: Service): Promise<number> {
  const { text } = assertStatus(await service.nobody.get('/metrics'), 200)
  const counts = text.matchAll(/^recto_http_request_duration_seconds_count\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
