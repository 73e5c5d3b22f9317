// Tests never read the settings or data of the user who runs them.
const keptVariables = ['REELWRIGHT_FFMPEG', 'REELWRIGHT_TESTDATA']

for (const name of Object.keys(process.env)) {
  if (name.startsWith('REELWRIGHT_') && !keptVariables.includes(name)) delete process.env[name]
}
delete process.env['DATABASE_URL']
delete process.env['CLAUDE_PROJECT_DIR']
// Disables telemetry of engines, also when the settings are not read.
process.env['ORT_DISABLE_TELEMETRY'] = '1'
// Only for the processes of the test runner (scripts/tests.mjs): those of the product have their own compile cache.
for (const name of Object.keys(process.env)) {
  if (/^(?:NODE_COMPILE_CACHE$|GLIBC_TUNABLES$|MALLOC_)/.test(name)) delete process.env[name]
}
