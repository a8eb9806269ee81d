package org.lockspring;

import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.jspecify.annotations.NullMarked;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The floors, and what else of the structure a machine can hold. A rule about something
 * that does not exist yet passes.
 */
@AnalyzeClasses(packages = "org.lockspring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "org.lockspring";

	private static final String AUTOCONFIGURE = "autoconfigure";

	/** Floor 2, each the home of one library. They do not know each other. */
	private static final Set<String> LIBRARIES = Set.of("observation", "redis", "etcd", "zookeeper", "jdbc", "memory");

	/** Floor 4, where a user's call arrives. They do not know each other. */
	private static final Set<String> ENTRANCES = Set.of("annotation", "transaction", "web", "actuate", "integration");

	/**
	 * The packages of each optional library and where, beside autoconfigure, they may be
	 * used.
	 */
	private static final Map<List<String>, Set<String>> OPTIONAL_LIBRARIES = Map.ofEntries(
			Map.entry(List.of("org.springframework.data..", "io.lettuce..", "redis.clients.."), Set.of("redis")),
			Map.entry(List.of("org.springframework.jdbc..", "javax.sql..", "java.sql.."), Set.of("jdbc")),
			Map.entry(List.of("org.springframework.transaction.."), Set.of("transaction", "jdbc")),
			Map.entry(List.of("org.springframework.dao.."), Set.of("redis", "jdbc")),
			Map.entry(List.of("org.aspectj.."), Set.of("annotation")),
			Map.entry(List.of("kotlin..", "kotlinx.."), Set.of("annotation")),
			Map.entry(List.of("reactor..", "org.reactivestreams.."), Set.of("core", "annotation")),
			Map.entry(List.of("io.etcd..", "io.grpc.."), Set.of("etcd")),
			Map.entry(List.of("org.apache.curator..", "org.apache.zookeeper.."), Set.of("zookeeper")),
			Map.entry(List.of("org.testcontainers.."), Set.of()),
			Map.entry(List.of("io.micrometer.core.."), Set.of("observation")),
			Map.entry(List.of("org.springframework.web..", "org.springframework.http..", "jakarta.servlet.."),
					Set.of("web")),
			Map.entry(List.of("org.springframework.boot.."), Set.of("actuate")),
			Map.entry(List.of("org.springframework.integration.."), Set.of("integration")));

	@ArchTest
	static final ArchRule aPackageUsesOnlyTheFloorsBelowIt = floors();

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().assignedFrom(eachPackage()).should().beFreeOfCycles();

	@ArchTest
	static final ArchRule anOptionalLibraryStaysInItsPackage = CompositeArchRule.of(OPTIONAL_LIBRARIES.entrySet()
		.stream()
		.map((library) -> stays(library.getKey(), library.getValue()))
		.toList());

	/** In core and annotation, which are loaded without it too. */
	@ArchTest
	static final ArchRule reactorStaysInTypesNamedAfterIt = noClasses().that()
		.resideOutsideOfPackage(ROOT + "." + AUTOCONFIGURE + "..")
		.and(isNotNamed("Reactive"))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor..", "org.reactivestreams..");

	@ArchTest
	static final ArchRule coroutinesStayInTypesNamedAfterThem = noClasses().that(isNotNamed("Coroutine"))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("kotlin..", "kotlinx..");

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = classes().should(beInANullMarkedPackage());

	@ArchTest
	static final ArchRule noPackageIsADrawer = noClasses().should()
		.resideInAnyPackage("..util..", "..common..", "..support..", "..impl..");

	@ArchTest
	static final ArchRule stateKnowsNoWallClock = noClasses().should()
		.accessTargetWhere(readsTheWallClock())
		.orShould()
		.dependOnClassesThat()
		.areAssignableTo(Clock.class);

	@ArchTest
	static final ArchRule whatIsPublicNamesOnlyPublicTypes = codeUnits().that()
		.areDeclaredInClassesThat(areReachable())
		.and(arePublicOrProtected())
		.should(nameOnlyPublicTypes());

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL)
		.andShould()
		.resideInAPackage(ROOT + "." + AUTOCONFIGURE + "..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule autoConfigurationsHaveNoPublicMethods = methods().that()
		.areDeclaredInClassesThat()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.notBePublic()
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule autoConfigurationsHaveNoPublicFields = fields().that()
		.areDeclaredInClassesThat()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.notBePublic()
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule conditionsAreNotPublic = classes().that()
		.areAssignableTo(Condition.class)
		.should()
		.notBePublic()
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule classConditionsAreNotOnBeanMethods = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.notBeAnnotatedWith(ConditionalOnClass.class)
		.because("the method's signature is loaded before the condition is asked")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule postProcessorBeanMethodsAreStatic = methods().that()
		.areAnnotatedWith(Bean.class)
		.and()
		.haveRawReturnType(JavaClass.Predicates.assignableTo(BeanPostProcessor.class)
			.or(JavaClass.Predicates.assignableTo(BeanFactoryPostProcessor.class)))
		.should()
		.beStatic()
		.because("its configuration would be created too early to be processed itself")
		.allowEmptyShould(true);

	/** A package without a floor fails too. */
	private static ArchRule floors() {
		LayeredArchitecture floors = layeredArchitecture().consideringOnlyDependenciesInAnyPackage(ROOT + "..")
			.withOptionalLayers(true)
			.layer("root")
			.definedBy(ROOT);
		for (Set<String> names : List.of(Set.of("fencing", "core", AUTOCONFIGURE), LIBRARIES, ENTRANCES)) {
			for (String name : names) {
				floors = floors.layer(name).definedBy(ROOT + "." + name + "..");
			}
		}
		floors = floors.whereLayer("fencing").mayNotAccessAnyLayer();
		floors = floors.whereLayer("root").mayOnlyAccessLayers("fencing");
		for (String library : LIBRARIES) {
			floors = floors.whereLayer(library).mayOnlyAccessLayers("root", "fencing");
		}
		// No backend: its library may be absent at run time
		floors = floors.whereLayer("core").mayOnlyAccessLayers("observation", "root", "fencing");
		for (String entrance : ENTRANCES) {
			floors = floors.whereLayer(entrance).mayOnlyAccessLayers("core", "observation", "root", "fencing");
		}
		return floors.ensureAllClassesAreContainedInArchitecture();
	}

	private static ArchRule stays(List<String> library, Set<String> homes) {
		String[] allowed = Stream.concat(homes.stream(), Stream.of(AUTOCONFIGURE))
			.map((home) -> ROOT + "." + home + "..")
			.toArray(String[]::new);
		return noClasses().that()
			.resideOutsideOfPackages(allowed)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(library.toArray(String[]::new));
	}

	private static DescribedPredicate<JavaClass> isNotNamed(String prefix) {
		return DescribedPredicate.describe("is not named " + prefix + "...",
				(type) -> !type.getName().substring(type.getPackageName().length() + 1).startsWith(prefix));
	}

	private static SliceAssignment eachPackage() {
		return new SliceAssignment() {

			@Override
			public SliceIdentifier getIdentifierOf(JavaClass type) {
				return SliceIdentifier.of(type.getPackageName());
			}

			@Override
			public String getDescription() {
				return "each package";
			}

		};
	}

	private static ArchCondition<JavaClass> beInANullMarkedPackage() {
		return condition("be in a null-marked package", (type) -> type.getPackage().isAnnotatedWith(NullMarked.class),
				JavaClass::getName);
	}

	private static DescribedPredicate<JavaAccess<?>> readsTheWallClock() {
		return DescribedPredicate.describe("the wall clock is read", (access) -> {
			JavaClass owner = access.getTargetOwner();
			String name = access.getTarget().getName();
			return (owner.isEquivalentTo(System.class) && name.equals("currentTimeMillis"))
					|| (owner.getPackageName().startsWith("java.time") && name.equals("now"))
					|| (owner.isEquivalentTo(Date.class) && name.equals("<init>"));
		});
	}

	/** A nested type is as visible as the types around it. */
	private static DescribedPredicate<JavaClass> areReachable() {
		return DescribedPredicate.describe("are reachable from outside", ArchitectureTests::isReachable);
	}

	private static boolean isReachable(JavaClass type) {
		return (type.getModifiers().contains(JavaModifier.PUBLIC)
				|| type.getModifiers().contains(JavaModifier.PROTECTED))
				&& type.getEnclosingClass().map(ArchitectureTests::isReachable).orElse(true);
	}

	private static DescribedPredicate<JavaCodeUnit> arePublicOrProtected() {
		return DescribedPredicate.describe("are public or protected",
				(unit) -> unit.getModifiers().contains(JavaModifier.PUBLIC)
						|| unit.getModifiers().contains(JavaModifier.PROTECTED));
	}

	private static ArchCondition<JavaCodeUnit> nameOnlyPublicTypes() {
		return condition("name only public types",
				(unit) -> Stream.concat(unit.getParameterTypes().stream(), Stream.of(unit.getReturnType()))
					.flatMap((type) -> type.getAllInvolvedRawTypes().stream())
					.filter((type) -> type.getPackageName().startsWith(ROOT))
					.allMatch(ArchitectureTests::isReachable),
				JavaCodeUnit::getFullName);
	}

	private static <T> ArchCondition<T> condition(String description, Predicate<T> test, Function<T, String> name) {
		return new ArchCondition<>(description) {

			@Override
			public void check(T item, ConditionEvents events) {
				if (!test.test(item)) {
					events.add(SimpleConditionEvent.violated(item, name.apply(item) + " should " + description));
				}
			}

		};
	}

}
