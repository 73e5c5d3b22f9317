import { onTestFinished } from 'vitest'
import { createApp, type App, type AppOptions } from '../../src/http/app.ts'
import type { HostProcess } from '../../src/platform/hosting.ts'
import type { Service } from '../../src/tasks/service.ts'

interface SecondAppOptions extends AppOptions {
  readonly exitIfIdle?: HostProcess['exitIfIdle']
}

/** Starts a second HTTP server for a service, on its own port, until the test ends. */
export async function startSecondApp(
  service: Service,
  { exitIfIdle = async () => false, ...options }: SecondAppOptions = {},
): Promise<{ baseUrl: string; app: App }> {
  const app = await createApp(service, { key: 'k', instance: 'i', version: '0', exitIfIdle }, options)
  onTestFinished(() => app.close())
  const port = await app.listen({ host: '127.0.0.1', port: 0 })
  return { baseUrl: `http://127.0.0.1:${port}`, app }
}
