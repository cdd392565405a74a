import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile } from '../artifacts/artifact-cache.ts'
import { fetchWithMaven } from '../artifacts/maven.ts'
import { unzip } from '../artifacts/unzip.ts'
import type { Engine, EngineSite } from './engine.ts'
import { findJava } from './java.ts'

const version = '8.19.18'

/** Of the archive: no checksum of it is published. */
const sha256 = 'b511d24877e1cca1c8938fc236108d7c220d1a12a47878c5f4844eb7f85b3152'

const urlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.main}`

/** Loopback only, so without TLS and users; disk watermarks would block writes on a developer's full disk. */
const settingsOf = ({ directory, ports }: EngineSite): string => `
cluster.name: dropbell
node.name: dropbell-1
discovery.type: single-node
network.host: 127.0.0.1
http.port: ${ports.main}
transport.port: ${ports.transport}
path.data: ${join(directory, 'data')}
path.logs: ${join(directory, 'logs')}
xpack.security.enabled: false
node.store.allow_mmap: false
cluster.routing.allocation.disk.threshold_enabled: false
`

const jvmOptions = `
-Xms512m
-Xmx512m
-XX:+UseG1GC
-XX:+ExitOnOutOfMemoryError
-Djava.io.tmpdir=\${ES_TMPDIR}
`

export const elasticsearch: Engine = {
  name: 'elasticsearch',
  title: 'Elasticsearch',
  dependsOn: [],
  ports: { main: 9200, transport: 9300 },
  artifact: {
    id: `elasticsearch-${version}`,
    async fetch(directory, watch) {
      const coordinates = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${version}:zip`
      await fetchWithMaven([coordinates], directory, watch, 'ours')
      watch.onProgress('unpacking')
      const archive = join(directory, `elasticsearch-${version}.zip`)
      if ((await hashFile(archive)) !== sha256) throw new Error(`Elasticsearch ${version} arrived damaged; try again`)
      await unzip(archive, directory, (name) => name.slice(name.indexOf('/') + 1))
      await rm(archive)
    },
  },

  async prepare(site) {
    const config = join(site.directory, 'config')
    for (const name of ['config', 'data', 'logs', 'tmp']) await mkdir(join(site.directory, name), { recursive: true })
    await mkdir(join(config, 'jvm.options.d'), { recursive: true })
    await writeFile(join(config, 'elasticsearch.yml'), settingsOf(site))
    await writeFile(join(config, 'jvm.options'), jvmOptions)
    await copyFile(join(site.installation, 'config', 'log4j2.properties'), join(config, 'log4j2.properties'))
  },

  async command(site) {
    const { home } = await findJava()
    return {
      file: join(site.installation, 'bin', 'elasticsearch'),
      args: [],
      cwd: site.directory,
      env: {
        ES_JAVA_HOME: home,
        ES_PATH_CONF: join(site.directory, 'config'),
        ES_TMPDIR: join(site.directory, 'tmp'),
      },
    }
  },

  async probe(site) {
    const health = await ask<{ status: string }>(site, '/_cluster/health')
    if (health.status === 'red') throw new Error('The cluster is red')
    const { nodes } = await ask<{ nodes: Record<string, { version: string }> }>(site, '/_nodes/_local/http')
    return Object.values(nodes)[0]?.version ?? version
  },

  env: (site) => ({ ELASTICSEARCH_URL: urlOf(site) }),
}

const ask = async <T>(site: EngineSite, path: string): Promise<T> => {
  const response = await fetch(`${urlOf(site)}${path}`, { signal: AbortSignal.timeout(5_000) })
  if (!response.ok) throw new Error(`Elasticsearch answers ${response.status}`)
  return (await response.json()) as T
}
