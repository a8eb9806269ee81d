package org.lockspring.autoconfigure

import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger
import javax.sql.DataSource
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.lockspring.CurrentLock
import org.lockspring.InvalidLockDefinitionException
import org.lockspring.LockLostException
import org.lockspring.LockMode
import org.lockspring.LockNotAcquiredException
import org.lockspring.annotation.DistributedLock
import org.lockspring.annotation.OnBusy
import org.lockspring.core.ReactiveLockTemplate
import org.lockspring.fencing.FencingToken
import org.lockspring.testing.RedisServer
import org.lockspring.testing.UsesServer
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.transaction.support.TransactionTemplate

private val redis = RedisServer.shared()

private val half = Duration.ofMillis(500)

private val soon = Duration.ofMillis(200)

private fun isLocked(key: String) = redis.command("EXISTS", "app:{$key}") == 1L

/** Functions that suspend, on a real Redis. */
@UsesServer("redis")
class SuspendFunctionTests {

    private val runner = ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                DataRedisAutoConfiguration::class.java, LockAutoConfiguration::class.java,
                LockReactiveAutoConfiguration::class.java, LockAnnotationAutoConfiguration::class.java
            )
        )
        .withPropertyValues("spring.data.redis.port=${redis.port()}", "lock.namespace=app")

    @BeforeEach
    fun empty() = redis.flush()

    private fun withJobs(test: suspend (Jobs) -> Unit) {
        this.runner.withBean(Jobs::class.java).run { context ->
            assertThat(context).hasNotFailed()
            runBlocking { test(context.getBean(Jobs::class.java)) }
            assertThat(CurrentLock.leases()).isEmpty()
        }
    }

    private fun released(key: String) = await().atMost(soon).until { !isLocked(key) }

    @Test
    fun lockIsHeldUntilTheCoroutineEnds() = withJobs { jobs ->
        val result = GlobalScope.async { jobs.slow("1", half.multipliedBy(2)) }
        jobs.begun.await()
        delay(half.toMillis())
        assertThat(isLocked("job:1")).isTrue()
        assertThat(result.isActive).isTrue()
        assertThat(result.await()).isEqualTo("done 1")
        released("job:1")
    }

    @Test
    fun lockEndsWhenTheCoroutineIsCancelled() = withJobs { jobs ->
        val result = GlobalScope.async { jobs.slow("1", Duration.ofMinutes(1)) }
        jobs.begun.await()
        delay(half.toMillis())
        assertThat(isLocked("job:1")).isTrue()
        result.cancelAndJoin()
        released("job:1")
        assertThat(jobs.ended).singleElement().isInstanceOf(CancellationException::class.java)
    }

    @Test
    fun lockEndsWhenTheCoroutineFails() = withJobs { jobs ->
        assertThatExceptionOfType(IllegalStateException::class.java)
            .isThrownBy { runBlocking { jobs.fail() } }.withMessage("body")
        released("failing")
    }

    @Test
    fun coroutinesExcludeEachOther() = withJobs { jobs ->
        val results = List(20) { GlobalScope.async { jobs.count() } }
        assertThat(results.awaitAll().sorted()).isEqualTo((1..20).toList())
        assertThat(jobs.most).hasValue(1)
        released("count")
    }

    @Test
    fun busyLockIsAnExceptionAndTheBodyDoesNotRun() = withJobs { jobs ->
        redis.command("SET", "app:{job:1}", "another process")
        assertThatExceptionOfType(LockNotAcquiredException::class.java)
            .isThrownBy { runBlocking { jobs.slow("1", half) } }.withMessageContaining("job:1")
        assertThat(jobs.begun.isCompleted).isFalse()
    }

    @Test
    fun busyLockIsNullWithSkip() = withJobs { jobs ->
        assertThat(jobs.skipped()).isEqualTo("ran")
        released("skipped")
        redis.command("SET", "app:{skipped}", "another process")
        assertThat(jobs.skipped()).isNull()
    }

    @Test
    fun sameKeyIsReenteredOnWhicheverThread() = withJobs { jobs ->
        val tokens = jobs.outer(jobs)
        assertThat(tokens).hasSize(5).allMatch { it == tokens[0] }
        released("nested")
        assertThat(jobs.outer(jobs)[0]).isGreaterThan(tokens[0])
    }

    @Test
    fun currentLockFollowsTheCoroutineAndLeavesItsThreads() = withJobs { jobs ->
        val free = GlobalScope.async(Dispatchers.Default) {
            while (!jobs.begun.isCompleted) {
                assertThat(CurrentLock.leases()).isEmpty()
                delay(1)
            }
            CurrentLock.leases()
        }
        assertThat(withContext(Dispatchers.Default) { jobs.heldAllTheTime() }).isTrue()
        assertThat(free.await()).isEmpty()
    }

    @Test
    fun flowIsLockedWhileItIsCollected() = withJobs { jobs ->
        for (flow in listOf(jobs.suspendingFlow(), jobs.plainFlow())) {
            assertThat(isLocked("flow")).isFalse()
            assertThat(flow.toList()).containsExactly(true, true, true)
            released("flow")
        }
    }

    @Test
    fun deferredIsLockedUntilItIsComplete() = withJobs { jobs ->
        val end = CompletableDeferred<String>()
        val result = jobs.deferred(end)
        await().until { isLocked("deferred") }
        end.complete("value")
        assertThat(result.await()).isEqualTo("value")
        released("deferred")
    }

    @Test
    fun lossEndsACoroutineInCorrectness() = withJobs { jobs ->
        val result = GlobalScope.async { runCatching { jobs.lost() } }
        await().until { isLocked("lost") }
        redis.command("DEL", "app:{lost}")
        assertThat(result.await().exceptionOrNull()).isInstanceOf(LockLostException::class.java)
        await().until { jobs.ended.size == 1 }
    }

    @Test
    fun transactionOfACoroutineIsFenced() {
        this.runner.withBean(Ledger::class.java)
            .withConfiguration(
                AutoConfigurations.of(
                    DataSourceAutoConfiguration::class.java, JdbcTemplateAutoConfiguration::class.java,
                    DataSourceTransactionManagerAutoConfiguration::class.java,
                    TransactionAutoConfiguration::class.java, LockFencingAutoConfiguration::class.java
                )
            )
            .withPropertyValues("spring.datasource.generate-unique-name=true", "lock.fencing.claim-on-acquire=false")
            .run { context ->
                assertThat(context).hasNotFailed()
                val token = runBlocking { context.getBean(Ledger::class.java).write() }
                val jdbc = context.getBean(JdbcTemplate::class.java)
                assertThat(jdbc.queryForObject("SELECT token FROM lock_fence", Long::class.java))
                    .isEqualTo(token.value())
            }
    }

    @Test
    fun proxyOfAnInterfaceServesToo() {
        this.runner.withBean(Worker::class.java).withPropertyValues("spring.aop.proxy-target-class=false")
            .run { context ->
                assertThat(context).hasNotFailed()
                assertThat(runBlocking { context.getBean(Work::class.java).run("7") }).isTrue()
                released("work:7")
            }
    }

    @ParameterizedTest
    @ValueSource(classes = [SkippedNumber::class, Launched::class])
    fun whatCannotBeLockedUntilItsEndEndsTheStart(bean: Class<*>) {
        this.runner.withBean(bean).run { context: AssertableApplicationContext ->
            assertThat(context).failure.isInstanceOf(InvalidLockDefinitionException::class.java)
                .hasMessageContainingAll(bean.simpleName + "#run", "eturn")
        }
    }

    @Test
    fun classThatIsNotOpenEndsTheStart() {
        this.runner.withBean(Closed::class.java).run { context: AssertableApplicationContext ->
            assertThat(context).failure.hasRootCauseInstanceOf(InvalidLockDefinitionException::class.java)
                .hasMessageContainingAll("Closed", "final")
        }
    }

    open class Jobs {

        open val begun = CompletableDeferred<Unit>()

        open val ended = CopyOnWriteArrayList<Throwable>()

        open val most = AtomicInteger()

        private val inside = AtomicInteger()

        private var counter = 0

        @DistributedLock("job:#{#id}")
        open suspend fun slow(id: String, time: Duration): String {
            assertThat(isLocked("job:$id")).isTrue()
            this.begun.complete(Unit)
            try {
                delay(time.toMillis())
            } catch (ex: CancellationException) {
                this.ended.add(ex)
                throw ex
            }
            return "done $id"
        }

        @DistributedLock("failing")
        open suspend fun fail() {
            delay(1)
            assertThat(isLocked("failing")).isTrue()
            throw IllegalStateException("body")
        }

        @DistributedLock(key = "count", waitTime = "60s")
        open suspend fun count(): Int {
            this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max)
            val before = this.counter
            delay(2)
            this.counter = before + 1
            this.inside.decrementAndGet()
            return this.counter
        }

        @DistributedLock(key = "skipped", onBusy = OnBusy.SKIP)
        open suspend fun skipped(): String? = "ran"

        @DistributedLock(key = "nested", mode = LockMode.CORRECTNESS)
        open suspend fun outer(self: Jobs): List<FencingToken> {
            val first = CurrentLock.fencingToken()
            delay(5)
            val second = withContext(Dispatchers.IO) { self.inner() }
            val third = withContext(Dispatchers.Default) { CurrentLock.fencingToken() }
            return listOf(first, second, third, self.blocking(), self.inner())
        }

        @DistributedLock(key = "nested", mode = LockMode.CORRECTNESS)
        open suspend fun inner(): FencingToken {
            delay(1)
            assertThat(CurrentLock.leases()).hasSize(1)
            return ReactiveLockTemplate.currentLease("nested").awaitSingle().fencingToken()!!
        }

        @DistributedLock(key = "nested", mode = LockMode.CORRECTNESS)
        open fun blocking(): FencingToken = CurrentLock.fencingToken()

        @DistributedLock("held")
        open suspend fun heldAllTheTime(): Boolean {
            var held = true
            repeat(50) {
                held = held && CurrentLock.isHeld("held") && CurrentLock.leases().size == 1
                delay(2)
            }
            this.begun.complete(Unit)
            return held
        }

        @DistributedLock("flow")
        open suspend fun suspendingFlow(): Flow<Boolean> {
            delay(1)
            return emitting()
        }

        @DistributedLock("flow")
        open fun plainFlow(): Flow<Boolean> = emitting()

        private fun emitting() = flow {
            repeat(3) {
                delay(1)
                emit(isLocked("flow"))
            }
        }

        @DistributedLock("deferred")
        open fun deferred(end: Deferred<String>): Deferred<String> = GlobalScope.async { end.await() }

        @DistributedLock(key = "lost", mode = LockMode.CORRECTNESS, ttl = "300ms")
        open suspend fun lost() {
            try {
                delay(Duration.ofMinutes(1).toMillis())
            } catch (ex: CancellationException) {
                this.ended.add(ex)
                throw ex
            }
        }
    }

    open class Ledger(dataSource: DataSource, private val transactions: TransactionTemplate) {

        private val jdbc = JdbcTemplate(dataSource)

        @DistributedLock(key = "ledger", mode = LockMode.CORRECTNESS)
        open suspend fun write(): FencingToken {
            delay(1)
            withContext(Dispatchers.IO) {
                transactions.execute { jdbc.queryForObject("SELECT 1", Int::class.java) }
            }
            return CurrentLock.fencingToken()
        }
    }

    interface Work {

        suspend fun run(id: String): Boolean
    }

    class Worker : Work {

        @DistributedLock("'work:' + #id")
        override suspend fun run(id: String): Boolean {
            delay(1)
            return isLocked("work:$id")
        }
    }

    open class SkippedNumber {

        @DistributedLock(key = "k", onBusy = OnBusy.SKIP)
        open suspend fun run(): Int = 1
    }

    class Closed {

        @DistributedLock("k")
        fun run() = Unit
    }

    open class Launched {

        @DistributedLock("k")
        open fun run(): Job = GlobalScope.launch { delay(1) }
    }
}
