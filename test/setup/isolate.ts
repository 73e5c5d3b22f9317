// Tests never see the settings or the data of the person who runs them.
const kept = ['REELWRIGHT_FFMPEG', 'REELWRIGHT_TESTDATA']

for (const name of Object.keys(process.env)) {
  if (name.startsWith('REELWRIGHT_') && !kept.includes(name)) delete process.env[name]
}
delete process.env['DATABASE_URL']
delete process.env['CLAUDE_PROJECT_DIR']
// Engines that tests load tell their makers nothing, whether or not the settings were read.
process.env['ORT_DISABLE_TELEMETRY'] = '1'
// For the processes of the tests alone: the product's keep what they compile by themselves.
delete process.env['NODE_COMPILE_CACHE']
// For those alone, too: from sources they are to start as quickly as what is installed.
// Theirs are many modules, none of them behind a link: looking for links would take a tenth of a start.
process.env['NODE_OPTIONS'] ??=
  `--import=${new URL('open-cache.mjs', import.meta.url).href} --preserve-symlinks`
