import { afterAll } from 'vitest'
import { configureServices, configuredService } from '../../src/engines/services/configured.ts'
import { serviceKinds } from '../../src/engines/services/services.ts'

// The next file of the process must not find services that this one has configured.
afterAll(() => {
  const configured = serviceKinds.filter((kind) => configuredService(kind) !== undefined)
  configureServices({})
  if (configured.length > 0)
    throw new Error(`still configured at the end of the file: ${configured.join(', ')}`)
})
