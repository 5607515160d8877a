import type { Server } from '../http/server.ts'
export async function webRoutes(_app: Server): Promise<void> {}
