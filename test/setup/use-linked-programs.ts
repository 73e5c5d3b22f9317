import { join } from 'node:path'
import { inject } from 'vitest'

// For processes that tests start. Those that are not linked load their modules without resolving symlinks, which would
// take a tenth of the start.
const preload = join(inject('linkedPrograms'), 'start-linked.mjs')
process.env['NODE_OPTIONS'] ??= `--require=${JSON.stringify(preload)} --preserve-symlinks`
