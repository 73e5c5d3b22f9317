import { inject } from 'vitest'

// For processes that tests start. Those that are not linked load their modules without resolving symlinks, which would
// take a tenth of the start.
const preload = new URL('start-linked.mjs', import.meta.url)
preload.searchParams.set('folder', inject('linkedPrograms'))
process.env['NODE_OPTIONS'] ??= `--import=${preload.href} --preserve-symlinks`
